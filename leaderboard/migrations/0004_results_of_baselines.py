import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0003_documents_of_imported_ops")]

    operations = [
        migrations.AddField(model_name="device", name="environment", field=models.JSONField(blank=True, default=dict)),
        migrations.CreateModel(
            name="BaselineResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=32)),
                ("status", models.CharField(choices=[("ok", "ok"), ("unavailable", "unavailable")], max_length=16)),
                ("clock", models.CharField(choices=[("interleaved", "interleaved"), ("own", "own")], max_length=16)),
                ("why", models.TextField(blank=True, default="", help_text="Why there are no figures.")),
                (
                    "time_us",
                    models.FloatField(help_text="Geometric mean of the performance cases' median times, in microseconds.", null=True),
                ),
                ("eager_us", models.FloatField(help_text="The same mean of torch_eager, of the same minutes.", null=True)),
                ("speedup", models.FloatField(help_text="Over torch_eager. Without an interval where it was not interleaved.", null=True)),
                ("speedup_low", models.FloatField(null=True)),
                ("speedup_high", models.FloatField(null=True)),
                ("cases", models.JSONField(default=list)),
                ("flags", models.JSONField(default=list)),
                ("environment", models.JSONField(default=dict)),
                ("environment_sha256", models.CharField(max_length=32)),
                ("command_sha256", models.CharField(blank=True, default="", max_length=64)),
                ("measured_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "device",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="baselines", to="leaderboard.device"),
                ),
                ("op", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="baselines", to="leaderboard.op")),
            ],
            options={
                "ordering": ("op", "device", "name", "-measured_at"),
                "indexes": [models.Index(fields=["op", "device", "name", "-measured_at"], name="newest_baseline_first")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "ok"), ("time_us__isnull", False), ("why", "")),
                            models.Q(("status", "unavailable"), ("time_us__isnull", True), models.Q(("why", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="a_time_or_a_reason",
                    )
                ],
            },
        ),
    ]
