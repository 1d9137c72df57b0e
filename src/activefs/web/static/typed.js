// Typed answers: the class that a number falls into, and the classes that fit what is typed.
"use strict";
(() => {
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
    output.textContent = problem || (at < 0 ? "\u00a0" : `falls into: ${ranges[at].firstChild.textContent.trim()}`);
  };

  // --- classes: a field of its own at the row, which always shows its list; elsewhere the list comes with the focus ---

  let active = -1;
  const listOf = (input) => document.getElementById(input.dataset.matches);
  const choices = (input) => { const list = listOf(input); return list ? [...list.querySelectorAll("[role=option]")] : []; };

  const activate = (input, index) => {
    const all = choices(input);
    active = index < all.length ? index : -1;
    all.forEach((choice, i) => choice.setAttribute("aria-selected", String(i === active)));
    if (active < 0) { input.removeAttribute("aria-activedescendant"); return; }
    input.setAttribute("aria-activedescendant", all[active].id);
    all[active].scrollIntoView({ block: "nearest" });
  };

  // As the server compares what is similar: without case, accents, spaces and signs.
  const plain = (text) => text.trim().toLowerCase().normalize("NFC");
  const loose = (text) => plain(text).normalize("NFKD").replace(/[^\p{L}\p{N}]/gu, "") || plain(text);

  const fitting = (said) => {
    const all = [...document.querySelectorAll("#class-list option")].map((option) => [option.value, option.dataset.said || ""]);
    const [wanted, letters] = [plain(said), loose(said)];
    const rank = ([name]) =>
      plain(name) === wanted ? 0 : plain(name).startsWith(wanted) ? 1 : loose(name).startsWith(letters) ? 2
        : plain(name).includes(wanted) || loose(name).includes(letters) ? 3 : 4;
    const ranked = all.map((entry) => [rank(entry), entry]).filter(([at]) => at < 4);
    return { known: ranked.some(([at]) => at === 0), found: ranked.sort((a, b) => a[0] - b[0]).map(([, entry]) => entry) };
  };

  const option = (list, i, name, said, isNew) => {
    const choice = document.createElement("li");
    choice.id = `${list.id}-${i}`;
    choice.setAttribute("role", "option");
    choice.dataset.label = name;
    choice.title = name;
    const text = document.createElement("span");
    text.className = "clamped";
    text.textContent = isNew ? `New label: ${name}` : name;
    choice.append(text);
    if (said) {
      const more = document.createElement("small");
      more.textContent = said;
      choice.append(" ", more);
    }
    return choice;
  };

  const showClasses = (input) => {
    const list = listOf(input);
    const said = input.value.trim();
    const { known, found } = fitting(said);
    const isNew = input.dataset.typed === "any" && said !== "" && !known;
    list.replaceChildren(...(isNew ? [option(list, 0, said, "", true)] : []),
      ...found.map(([name, more], i) => option(list, i + Number(isNew), name, more, false)));
    if (!list.children.length && input.dataset.typed === "class") {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "No class fits.";
      list.append(none);
    }
    list.hidden = list.children.length === 0;
    list.scrollTop = 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    activate(input, said === "" ? -1 : 0);
  };

  const close = (input) => {
    if (input.id === "typed") return; // its list is part of the page
    const list = listOf(input);
    if (list) list.remove();
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const choose = (input, name) => {
    input.value = name;
    if (input.id === "typed") input.form.requestSubmit();
    else { close(input); input.focus(); if (input.dataset.typed === "filter") input.form.requestSubmit(); }
  };

  const owner = (list) => document.querySelector(`[data-matches="${list.id}"]`);
  const isField = (element) => element instanceof HTMLInputElement && element.dataset.typed !== undefined;

  document.addEventListener("keydown", (event) => {
    const input = event.target;
    if (!isField(input) || event.isComposing) return;
    const isClass = input.dataset.typed !== "number";
    if (event.key === "Escape") {
      if (input.id !== "typed") { close(input); return; }
      input.value = "";
      update(input);
      document.querySelector("#work [data-focus]").focus();
    } else if (isClass && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const count = choices(input).length;
      if (!count) return;
      event.preventDefault();
      const down = event.key === "ArrowDown";
      activate(input, active < 0 ? (down ? 0 : count - 1) : (active + (down ? 1 : count - 1)) % count);
    } else if (isClass && event.key === "Enter" && active >= 0 && choices(input).length) {
      event.preventDefault();
      choose(input, choices(input)[active].dataset.label);
    }
  });

  // A press on the list must not take the focus from the field, or the list would be gone before the click.
  document.addEventListener("mousedown", (event) => { if (event.target.closest(".matches")) event.preventDefault(); });
  document.addEventListener("click", (event) => {
    const choice = event.target.closest(".matches [role=option]");
    if (choice) choose(owner(choice.parentElement), choice.dataset.label);
  });

  // --- both ---

  const update = (input) => {
    if (input.dataset.typed === "number") { showRange(input); return; }
    input.removeAttribute("list"); // our own list is in its place
    if (!listOf(input)) {
      const list = document.createElement("ul");
      Object.assign(list, { id: input.dataset.matches, className: "matches popup" });
      list.setAttribute("role", "listbox");
      list.setAttribute("aria-label", "Classes that fit");
      input.after(list);
    }
    for (const [name, value] of [["role", "combobox"], ["aria-controls", input.dataset.matches], ["aria-autocomplete", "list"]])
      input.setAttribute(name, value);
    showClasses(input);
  };

  document.addEventListener("input", (event) => { if (isField(event.target)) update(event.target); });
  document.addEventListener("focusin", (event) => {
    if (isField(event.target) && event.target.id !== "typed") { update(event.target); event.target.select(); activate(event.target, -1); }
  });
  document.addEventListener("focusout", (event) => { if (isField(event.target)) close(event.target); });

  const start = () => {
    const input = document.getElementById("typed");
    if (!input) return;
    update(input);
    // Something is to be confirmed: the list would hide it.
    if (document.getElementById("doubt-said") && listOf(input)) listOf(input).hidden = true;
  };
  document.addEventListener("htmx:afterSwap", start);
  start();
})();
