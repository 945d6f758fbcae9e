// A team that is put together in the page: who plays, who is captain, how they decide; of what the server says that there is.

const find = (id) => document.getElementById(id);

/** Which strategies can be chosen. `texts`: whether a text is wanted, which not all of them can give: one that somebody has chosen
 * stays chosen, and any other gives way. */
export function offerStrategies(parts, texts) {
  if (!parts) return;
  const decides = find("edit-strategy");
  const before = decides.value;
  const able = (name) => !texts || parts.texts.includes(name);
  decides.replaceChildren(
    ...parts.strategies.map((name) => Object.assign(new Option(able(name) ? name : `${name} (gives no texts)`, name), { disabled: !able(name) })),
  );
  const stays = parts.strategies.includes(before) && (able(before) || before !== decides.dataset.offered);
  decides.value = stays ? before : (parts.strategies.find(able) ?? "");
  if (!stays) decides.dataset.offered = decides.value;
}

/** Draw the parts. `made` hears of the team, as the list of teams has them, when it is to be asked. */
export function drawParts(parts, made) {
  for (const id of ["edit-part", "edit-told"]) find(id).hidden = !parts;
  if (!parts) return;
  const seats = parts.players.map(({ name, model, seated }) => {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value: name, checked: seated });
    label.append(box, model === name ? ` ${name}` : ` ${name} (${model})`);
    return label;
  });
  find("edit-players").replaceChildren(...seats);
  const chosen = () => [...find("edit-players").querySelectorAll("input:checked")].map(({ value }) => value);
  const captains = () => {
    const before = find("edit-captain").value;
    find("edit-captain").replaceChildren(...chosen().map((name) => new Option(name, name)));
    if (chosen().includes(before)) find("edit-captain").value = before;
    find("edit-use").disabled = chosen().length === 0;
  };
  find("edit-players").onchange = captains;
  captains();
  find("edit-use").onclick = () => {
    made(putTogether(parts, { players: chosen(), captain: find("edit-captain").value, strategy: find("edit-strategy").value }));
  };
}

/** Whether two of the list are one, by whichever names: the server says of its own what they are made of, and one of one's own is
 * made of players who are the file's, whatever it is called and in whichever order they were ticked. */
export function sameTeam(one, other) {
  if (!one || !other) return false;
  if (one.line_up && other.line_up) return one.line_up === other.line_up;
  const made = ({ strategy, captain, players }) => JSON.stringify([strategy, captain, players.map(({ name }) => name).sort()]);
  return one.model === other.model || made(one) === made(other);
}

/** A team of one's own, as the list of teams has them. */
export function putTogether(parts, { players, captain, strategy }) {
  const models = new Map(parts.players.map(({ name, model }) => [name, model]));
  return {
    model: `${players.length > 1 ? players.join("+") : `+${players[0]}`}/${strategy}@${captain}`,
    team: "put together here",
    strategy,
    captain,
    texts: parts.texts.includes(strategy),
    players: players.map((name) => ({ name, model: models.get(name) ?? name })),
    edited: { players, captain, strategy },
  };
}
