import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0008_sources_without_comments"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="parent",
            field=models.ForeignKey(
                blank=True,
                help_text="The earlier submission that its author edited; its author could read that one's source.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="children",
                to="submissions.submission",
            ),
        ),
    ]
