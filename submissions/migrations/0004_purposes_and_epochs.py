from django.conf import settings
from django.db import migrations, models

PURPOSES = [
    ("hand_in", "came with its submission"),
    ("rerun", "its author had the submission run again"),
    ("confirming", "the site confirms who leads a board"),
    ("house", "the site runs the submission again"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0003_evaluation_policy"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="purpose",
            field=models.CharField(choices=PURPOSES, default="hand_in", max_length=10),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="epoch",
            field=models.PositiveSmallIntegerField(default=1, help_text="Of the evaluator that ended it (`evaluator/epoch.py`)."),
        ),
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(
                condition=models.Q(("purpose", "confirming")), fields=["op", "device", "author"], name="confirming_evaluations"
            ),
        ),
    ]
