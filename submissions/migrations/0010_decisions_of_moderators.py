import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import submissions.models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0009_parent_of_a_submission"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Decision",
            fields=[
                (
                    "id",
                    models.CharField(default=submissions.models.new_id, editable=False, max_length=12, primary_key=True, serialize=False),
                ),
                (
                    "kind",
                    models.CharField(choices=[("accept", "accepted as it is"), ("refuse", "refused"), ("hide", "hidden")], max_length=8),
                ),
                ("reason", models.TextField()),
                ("batch", models.CharField(db_index=True, max_length=12)),
                ("verdict_before", models.CharField(max_length=20)),
                ("visibility_before", models.CharField(max_length=16)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_because", models.TextField(blank=True, default="")),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="decisions_made",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "evaluation",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="decisions", to="submissions.evaluation"),
                ),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="decisions_withdrawn",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-made_at", "-pk"),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(withdrawn_at__isnull=True),
                        fields=("evaluation",),
                        name="one_standing_decision_per_evaluation",
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(condition=models.Q(verdict="suspect"), fields=["finished_at"], name="suspect_evaluations"),
        ),
    ]
