// Light, dark, or as the system says.

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const SIGN = { auto: "◐", light: "☀", dark: "☾" };

function chosen() {
  try {
    return localStorage.getItem("theme") ?? "auto";
  } catch {
    return "auto"; // storage may be switched off
  }
}

/** Let a button change the theme. */
export function themeButton(button) {
  const show = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = SIGN[theme];
    button.setAttribute("aria-label", `Theme: ${theme}. Change to ${NEXT[theme]}`);
    button.title = `Theme: ${theme}`;
  };
  let theme = chosen();
  show(theme);
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // the choice then lasts as long as the page
    }
    show(theme);
  });
}
