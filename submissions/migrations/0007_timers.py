from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0006_artefacts"),
    ]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="timer",
            field=models.CharField(
                choices=[("abba", "abba"), ("do_bench", "do_bench"), ("cpu_bench", "cpu_bench")], default="abba", max_length=10
            ),
        ),
    ]
