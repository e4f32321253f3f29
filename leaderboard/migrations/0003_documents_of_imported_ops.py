import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0002_audited_entries")]

    operations = [
        migrations.CreateModel(
            name="OpDocument",
            fields=[
                (
                    "op",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="given",
                        serialize=False,
                        to="leaderboard.op",
                    ),
                ),
                ("document", models.JSONField()),
                ("source", models.CharField(max_length=40)),
                ("imported_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
    ]
