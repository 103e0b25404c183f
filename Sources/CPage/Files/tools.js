// The head of the page: the layout of lists, uploads, notifications, and the account.

import { showAgain } from "./app.js";
import { isSignedIn } from "./actions.js";
import { avatar } from "./card.js";
import { h, icon } from "./dom.js";
import { icons, stylesheet } from "./late.js";
import { quiet } from "./quiet.js";
import { session } from "./session.js";
import { toast } from "./shell.js";
import { suggestIn } from "./search.js";
import { ago, t } from "./texts.js";

const tool = (name, label, run) => h("button", { type: "button", class: `tool ${name}`, "aria-label": label, title: label, onclick: run });

const live = h("span", { class: "live", role: "status" });
const form = tool("form", "", changeForm);
const upload = tool("upload", t("nav.upload"), () => compose([]));
const bell = h("a", { class: "tool bell", href: "/notifications", title: t("nav.notifications") }, icon(icons.bell), h("span", { class: "badge", hidden: true }));
const account = tool("account", "", openAccount);
upload.append(icon(icons.plus));

export async function showTools() {
  await stylesheet("late.css");
  document.getElementById("tools").append(live, form, upload, bell, account);
  showForm();
  showLive();
  showAccount();
  suggestIn(document.querySelector("#top input[name=q]"));
  await quiet();
  showTray();
  showUnread();
}

session.addEventListener("change", () => {
  showAccount();
  showUnread();
  showAgain();
});

// Uploads that are not finished continue by themselves, once the service can be reached.
function showTray() {
  import("./tray.js").then(() => document.body.append(h("upload-tray")), () => setTimeout(showTray, 5000));
}

// MARK: Lists

const place = "tintype.form";

const isGrid = () => (localStorage.getItem(place) ?? (innerWidth < 600 ? "card" : "tile")) === "tile";

function showForm() {
  form.replaceChildren(icon(icons[isGrid() ? "list" : "grid"]));
  form.ariaLabel = form.title = t(isGrid() ? "nav.cards" : "nav.grid");
}

function changeForm() {
  localStorage.setItem(place, isGrid() ? "card" : "tile");
  showForm();
  showAgain();
}

// Shows whether the live connection is open, as feed-live.js records it.
function showLive() {
  const state = document.body.dataset.live;
  if (!state) return;
  live.dataset.state = state;
  live.textContent = t(`nav.${state}`);
}

document.addEventListener("live", showLive);

setInterval(() => {
  for (const time of document.querySelectorAll("time[data-time]")) time.textContent = ago(Number(time.dataset.time));
}, 30000);

// A part of the page that is loaded late is not available while the service is unreachable; the user has to try again.
addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof TypeError) || !event.reason.message.includes("imported module")) return;
  event.preventDefault();
  toast(t("problem.offline"), { isProblem: true });
});

// MARK: The account

async function openAccount() {
  const { accountMenu, askToSignIn } = await import("./account-dialog.js");
  if (session.user) accountMenu(account); else askToSignIn();
}

function showAccount() {
  const { user } = session;
  bell.hidden = !user;
  account.replaceChildren(user ? avatar(user) : icon(icons.person));
  account.ariaLabel = account.title = user ? t("nav.account", { name: user.name }) : t("nav.signIn");
}

let unread = null;

// Shows the number of unread notifications, and follows it.
async function showUnread() {
  if (!session.user) return;
  if (!unread) {
    ({ unread } = await import("./notices.js"));
    unread.addEventListener("change", showUnread);
  }
  const badge = bell.querySelector(".badge");
  badge.hidden = !(unread.count > 0);
  badge.textContent = unread.count > 99 ? "99+" : String(unread.count ?? 0);
  bell.ariaLabel = t("nav.unread", { count: unread.count ?? 0 });
}

// MARK: Uploading

async function compose(files) {
  if (isSignedIn()) (await import("./composer.js")).compose(files);
}

// Files that are dropped or pasted anywhere are for a new post.
for (const name of ["dragover", "drop", "paste"]) {
  document.addEventListener(name, (event) => {
    const data = event.dataTransfer ?? event.clipboardData;
    if (!data?.types.includes("Files") || event.target.closest?.("dialog")) return;
    event.preventDefault();
    document.body.classList.toggle("dropping", name === "dragover");
    if (name !== "dragover" && data.files.length > 0) compose([...data.files]);
  });
}
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
