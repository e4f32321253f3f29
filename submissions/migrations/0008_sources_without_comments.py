from django.db import migrations

from evaluator.contract import KernelType
from submissions.hashes import IN_PYTHON, normalised_sha256

BATCH = 200


def compute_again(apps, schema_editor):
    """Comments do not tell Python sources apart any more: a source that is handed in again must meet the runs that it has."""
    submissions = apps.get_model("submissions", "Submission")
    changed = []
    wanted = submissions.objects.filter(kernel_type__in=[kind.value for kind in IN_PYTHON]).order_by("pk")
    for submission in wanted.only("pk", "source", "kernel_type", "normalised_sha256").iterator(chunk_size=BATCH):
        sha = normalised_sha256(submission.source, KernelType(submission.kernel_type))
        if sha != submission.normalised_sha256:
            submission.normalised_sha256, submission.source = sha, ""
            changed.append(submission)
        if len(changed) >= BATCH:
            submissions.objects.bulk_update(changed, ["normalised_sha256"])
            changed = []
    submissions.objects.bulk_update(changed, ["normalised_sha256"])


class Migration(migrations.Migration):
    dependencies = [("submissions", "0007_timers")]

    operations = [migrations.RunPython(compute_again, migrations.RunPython.noop)]
