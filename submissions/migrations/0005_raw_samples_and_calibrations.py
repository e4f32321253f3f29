import itertools
import json
import zlib

import django.db.models.deletion
from django.db import migrations, models

SIDES = (("samples_us", "candidate_us"), ("baseline_samples_us", "baseline_us"))
BATCH = 50
"""Outcomes with samples have hundreds of kilobytes each."""


def move_out(apps, schema_editor):
    """Take the samples out of stored outcomes and keep them compressed in rows of their own."""
    evaluations, samples = apps.get_model("submissions", "Evaluation"), apps.get_model("submissions", "Samples")
    timed = evaluations.objects.filter(outcome__isnull=False).only("pk", "outcome").order_by("pk").iterator(chunk_size=BATCH)
    while some := list(itertools.islice(timed, BATCH)):
        rows = [row for evaluation in some if (row := _taken_out(evaluation, samples)) is not None]
        samples.objects.bulk_create(rows)
        evaluations.objects.bulk_update([row.evaluation for row in rows], ["outcome"])


def _taken_out(evaluation, samples):
    """The row of its samples, which its outcome has no more; None where there are none."""
    found = []
    for case in _timed(evaluation.outcome):
        taken = {name: case["timing"].pop(field, None) or [] for field, name in SIDES}
        if any(taken.values()):
            found.append({"case": case["name"], **taken})
    if not found:
        return None
    packed = zlib.compress(json.dumps(found, separators=(",", ":"), allow_nan=False).encode())
    return samples(evaluation=evaluation, packed=packed)


def move_in(apps, schema_editor):
    """Put them back."""
    evaluations, samples = apps.get_model("submissions", "Evaluation"), apps.get_model("submissions", "Samples")
    rows = samples.objects.select_related("evaluation").order_by("pk").iterator(chunk_size=BATCH)
    while some := list(itertools.islice(rows, BATCH)):
        for row in some:
            _put_back(row)
        evaluations.objects.bulk_update([row.evaluation for row in some], ["outcome"])


def _put_back(row):
    by_case = {each["case"]: each for each in json.loads(zlib.decompress(bytes(row.packed)))}
    for case in _timed(row.evaluation.outcome):
        if case.get("name") in by_case:
            case["timing"].update({field: by_case[case["name"]][name] for field, name in SIDES})


def _timed(outcome):
    cases = outcome.get("cases") if isinstance(outcome, dict) else None
    return [case for case in cases or () if isinstance(case, dict) and isinstance(case.get("timing"), dict)]


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0004_purposes_and_epochs"),
    ]

    operations = [
        migrations.CreateModel(
            name="Samples",
            fields=[
                (
                    "evaluation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="samples",
                        serialize=False,
                        to="submissions.evaluation",
                    ),
                ),
                ("packed", models.BinaryField(help_text="JSON, compressed by zlib.")),
            ],
        ),
        migrations.AddField(
            model_name="worker",
            name="calibration",
            field=models.JSONField(blank=True, default=dict, help_text="Ceilings measured there, or a note that says why there are none."),
        ),
        migrations.RunPython(move_out, move_in),
    ]
