from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def widen(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Who could do everything still can: what `submit` allowed before is now `submit` and `manage`. Every token may read."""
    for token in apps.get_model("kbweb", "Token").objects.all():
        scopes = {"read", *token.scopes}
        if "submit" in scopes:
            scopes.add("manage")
        token.scopes = sorted(scopes, key=["read", "submit", "manage"].index)
        token.save(update_fields=["scopes"])


def narrow(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    for token in apps.get_model("kbweb", "Token").objects.all():
        token.scopes = [scope for scope in token.scopes if scope != "manage"]
        token.save(update_fields=["scopes"])


class Migration(migrations.Migration):
    """`submit` was the right to make tokens as well, which is a scope of its own now."""

    dependencies = [("kbweb", "0001_tokens_and_sign_in_keys")]

    operations = [
        migrations.AddField(
            model_name="token",
            name="agent",
            field=models.CharField(blank=True, default="", help_text="Agent label of what is handed in with it.", max_length=80),
        ),
        migrations.AddField(
            model_name="token",
            name="last_used_at",
            field=models.DateTimeField(blank=True, help_text="To the minute.", null=True),
        ),
        migrations.RunPython(widen, narrow),
    ]
