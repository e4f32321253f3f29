// A form that destroys something asks first: <form data-confirm="what comes of it"> with one button, whose words are those of the yes.
// Without scripts a box that must be ticked does it (templates/kbweb/_sure.html).
function asked(form, button) {
  const dialog = Object.assign(document.createElement("dialog"), { className: "ask" });
  const inner = Object.assign(document.createElement("form"), { method: "dialog", className: "stack-s" });
  const says = Object.assign(document.createElement("p"), { textContent: form.dataset.confirm, id: "confirm-says" });
  const row = Object.assign(document.createElement("div"), { className: "row center" });
  const yes = Object.assign(document.createElement("button"), { className: "danger", value: "yes", textContent: button.textContent });
  const no = Object.assign(document.createElement("button"), { value: "no", textContent: "Keep it as it is", autofocus: true });
  row.append(yes, no);
  inner.append(says, row);
  dialog.append(inner);
  dialog.setAttribute("aria-labelledby", says.id);
  document.body.append(dialog);
  return new Promise((done) => {
    dialog.addEventListener("close", () => { dialog.remove(); done(dialog.returnValue === "yes"); });
    dialog.showModal();
  });
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.dataset.confirm || form.dataset.agreed !== undefined) return;
  event.preventDefault();
  const button = event.submitter ?? form.querySelector("button");
  if (!(await asked(form, button))) return;
  form.dataset.agreed = "";
  form.requestSubmit(button);
});
addEventListener("pageshow", () => { for (const form of document.querySelectorAll("[data-agreed]")) delete form.dataset.agreed; });
