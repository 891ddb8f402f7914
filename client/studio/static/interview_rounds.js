// The rounds to choose from are those of the chosen role's field.
const role = document.getElementById("role");

function show() {
  for (const list of document.querySelectorAll("[data-roles]")) {
    list.hidden = !list.dataset.roles.split(" ").includes(role.value);
    const rounds = [...list.querySelectorAll("input[type=radio]")];
    for (const round of rounds) round.disabled = list.hidden;
    if (!list.hidden && rounds.length && !rounds.some((round) => round.checked)) rounds[0].checked = true;
  }
}

role.addEventListener("change", show);
show(); // a browser that goes back keeps the role, not what belongs to it
