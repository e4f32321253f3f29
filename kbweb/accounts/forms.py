"""allauth's forms with our words: labels that say what is asked for, and no placeholders that say it again."""

from __future__ import annotations

from allauth.account import forms as theirs
from django import forms

LABELS = {
    "login": "User name or mail address",
    "username": "User name",
    "email": "Mail address",
    "password": "Password",
    "password1": "Password",
    "password2": "Password, once more",
    "oldpassword": "Password until now",
}


class OurWords(forms.Form):
    """For whatever form of allauth it is mixed into."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        for name, field in self.fields.items():
            field.label = LABELS.get(name, field.label)
            field.widget.attrs.pop("placeholder", None)


class LoginForm(OurWords, theirs.LoginForm):  # type: ignore[misc] # allauth has no types
    pass


class SignupForm(OurWords, theirs.SignupForm):  # type: ignore[misc]
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].help_text = "Only to reset a forgotten password, and to tell you of a webhook that was switched off."


class AddEmailForm(OurWords, theirs.AddEmailForm):  # type: ignore[misc]
    pass


class ChangePasswordForm(OurWords, theirs.ChangePasswordForm):  # type: ignore[misc]
    pass


class SetPasswordForm(OurWords, theirs.SetPasswordForm):  # type: ignore[misc]
    pass


class ResetPasswordForm(OurWords, theirs.ResetPasswordForm):  # type: ignore[misc]
    pass


class ResetPasswordFromKeyForm(OurWords, theirs.ResetPasswordKeyForm):  # type: ignore[misc]
    pass


class ReauthenticateForm(OurWords, theirs.ReauthenticateForm):  # type: ignore[misc]
    pass
