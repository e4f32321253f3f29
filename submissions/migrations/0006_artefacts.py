import django.db.models.deletion
from django.db import migrations, models

KINDS = ["torch_table", "chrome_trace", "ncu_metrics", "ncu_report", "nsys_stats", "ptx", "sass"]


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0005_raw_samples_and_calibrations"),
    ]

    operations = [
        migrations.CreateModel(
            name="Artefact",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80)),
                ("kind", models.CharField(choices=[(kind, kind) for kind in KINDS], max_length=16)),
                ("size_bytes", models.PositiveIntegerField()),
                ("sha256", models.CharField(help_text="Of its bytes before they were packed.", max_length=64)),
                ("packed_bytes", models.PositiveIntegerField()),
                ("packed", models.BinaryField(help_text="Its bytes, compressed by zlib.")),
                (
                    "evaluation",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="artefacts", to="submissions.evaluation"),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [models.UniqueConstraint(fields=("evaluation", "name"), name="one_artefact_per_name")],
            },
        ),
    ]
