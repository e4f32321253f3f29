import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0005_confirmations_and_epochs"),
    ]

    operations = [
        migrations.CreateModel(
            name="SuiteRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tag", models.CharField(max_length=64, unique=True)),
                ("suite", models.CharField(blank=True, default="", help_text="Empty where ops were named one by one.", max_length=64)),
                ("ops", models.JSONField(default=list)),
                ("names", models.JSONField(default=list)),
                ("environment", models.JSONField(default=dict)),
                ("began_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "device",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="suite_runs", to="leaderboard.device"),
                ),
            ],
            options={
                "ordering": ("-began_at", "-pk"),
            },
        ),
        migrations.AddField(
            model_name="baselineresult",
            name="run",
            field=models.ForeignKey(
                blank=True,
                help_text="Where it was measured under a tag.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="results",
                to="leaderboard.suiterun",
            ),
        ),
    ]
