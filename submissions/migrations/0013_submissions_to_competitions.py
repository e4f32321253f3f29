import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0012_groups_and_competitions"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="competition",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="submissions",
                to="submissions.competition",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(competition__isnull=True) | models.Q(visibility="private"), name="in_a_competition_means_private"
            ),
        ),
    ]
