// Typed answers: the class that a number falls into, and the classes that fit what is typed.
"use strict";
(() => {
  const field = () => document.querySelector("#work [data-typed]");

  // --- numbers, read as the server reads them ---

  const read = (text) => {
    const said = text.trim().replace("\u2212", "-");
    if (said === "") return { said: "" };
    if (/^[+-]?[1-9][0-9]{0,2},[0-9]{3}$/.test(said))
      return { problem: `${said} may mean two numbers: write ${said.replace(",", ".")} or ${said.replace(",", "")}` };
    const whole = /^[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[+-]?[0-9]{1,4})?$/i.test(said);
    const number = whole ? Number(said.replace(",", ".")) : NaN;
    return Number.isFinite(number) ? { number } : { problem: "This is no number yet." };
  };

  const showRange = (input) => {
    const ranges = [...document.querySelectorAll("#work [data-range]")];
    const { number, problem = "" } = read(input.value);
    const at = number === undefined ? -1 : JSON.parse(input.dataset.edges).filter((edge) => edge <= number).length;
    ranges.forEach((range, i) => range.classList.toggle("here", i === at));
    input.setCustomValidity(problem);
    const output = document.getElementById("falls-into");
    output.classList.toggle("problem", problem !== "");
    output.textContent = problem || (at < 0 ? "\u00a0" : `falls into: ${ranges[at].textContent}`);
  };

  // --- classes ---

  let active = -1;
  const matches = () => document.getElementById("matches");
  const choices = () => [...matches().querySelectorAll("[role=option]")];

  const activate = (index) => {
    const all = choices();
    active = index < all.length ? index : -1;
    all.forEach((choice, i) => choice.setAttribute("aria-selected", String(i === active)));
    if (active < 0) { field().removeAttribute("aria-activedescendant"); return; }
    field().setAttribute("aria-activedescendant", all[active].id);
    all[active].scrollIntoView({ block: "nearest" });
  };

  const plain = (text) => text.trim().toLowerCase().normalize("NFC");

  const showClasses = (input) => {
    const all = [...document.querySelectorAll("#class-list option")].map((option) => option.value);
    const wanted = plain(input.value);
    const begin = all.filter((name) => plain(name).startsWith(wanted));
    const inside = all.filter((name) => plain(name).includes(wanted) && !plain(name).startsWith(wanted));
    const same = (name) => plain(name) === wanted;
    const found = [...begin.filter(same), ...begin.filter((name) => !same(name)), ...inside];
    const isNew = input.dataset.typed === "any" && wanted !== "" && !begin.some(same);
    const list = matches();
    list.replaceChildren();
    for (const [i, name] of (isNew ? [input.value.trim(), ...found] : found).entries()) {
      const choice = document.createElement("li");
      choice.id = `match-${i}`;
      choice.setAttribute("role", "option");
      choice.dataset.label = name;
      choice.textContent = isNew && i === 0 ? `New label: ${name}` : name;
      list.append(choice);
    }
    if (!list.children.length) {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "No class fits.";
      list.append(none);
    }
    list.hidden = false;
    list.scrollTop = 0;
    input.setAttribute("aria-expanded", "true");
    activate(wanted === "" ? -1 : 0);
  };

  const choose = (name) => {
    field().value = name;
    field().form.requestSubmit();
  };

  document.addEventListener("keydown", (event) => {
    const input = field();
    if (!input || event.target !== input) return;
    if (event.key === "Escape") {
      input.value = "";
      update();
      document.querySelector("#work [data-focus]").focus();
    } else if (input.dataset.typed === "number") {
      return;
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const down = event.key === "ArrowDown";
      const count = choices().length;
      activate(active < 0 ? (down ? 0 : count - 1) : (active + (down ? 1 : count - 1)) % count);
    } else if (event.key === "Enter" && active >= 0) {
      event.preventDefault();
      choose(choices()[active].dataset.label);
    }
  });

  document.addEventListener("click", (event) => {
    const choice = event.target.closest("#matches [role=option]");
    if (choice) choose(choice.dataset.label);
  });

  // --- both ---

  const update = () => {
    const input = field();
    if (!input) return;
    if (input.dataset.typed === "number") { showRange(input); return; }
    input.removeAttribute("list"); // our own list is in its place
    for (const [name, value] of [["role", "combobox"], ["aria-controls", "matches"], ["aria-autocomplete", "list"]])
      input.setAttribute(name, value);
    showClasses(input);
  };

  document.addEventListener("input", (event) => { if (event.target === field()) update(); });
  document.addEventListener("htmx:afterSwap", update);
  update();
})();
