// The page that links in messages open: a code confirms an e-mail address, or allows its owner to choose another
// password. The code is only used when a button is pressed, because programs that scan messages follow links, too.

const { default: texts } = await import(`/page/account-texts.${document.documentElement.lang || "en"}.js`);
const t = (name) => texts[`account.${name}`] ?? name;

const parameters = new URLSearchParams(location.search);
const code = parameters.get("oobCode") ?? "";
const mode = parameters.get("mode") ?? "";
const message = document.getElementById("message");
const password = document.getElementById("password");
const verify = document.getElementById("verify");

const sentences = {
  INVALID_OOB_CODE: t("used"), EXPIRED_OOB_CODE: t("expired"), USER_DISABLED: t("disabled"), TOO_MANY_ATTEMPTS_TRY_LATER: t("tooMany"),
};

// Sends a request to the service; throws an error with a message for people.
async function call(operation, body) {
  let response;
  try {
    response = await fetch(`identitytoolkit.googleapis.com/v1/accounts:${operation}?key=page`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
  } catch {
    throw new Error(t("unreachable"));
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const [name, words] = (answer.error?.message ?? "").split(" : ");
  throw new Error(sentences[name] ?? words ?? t("failed"));
}

function say(text) {
  message.textContent = text;
}

async function begin() {
  // The code is removed from the address, so that it is not stored or sent on.
  history.replaceState(null, "", location.pathname);
  if (mode === "resetPassword") {
    const { email } = await call("resetPassword", { oobCode: code });
    document.getElementById("email").textContent = email;
    say(t("choose"));
    password.hidden = false;
  } else if (mode === "verifyEmail" || mode === "verifyAndChangeEmail") {
    say(t("isYours"));
    verify.hidden = false;
  } else {
    say(t("forApp"));
  }
}

// Runs the action of a form when it is submitted; an error is shown, and the form stays.
function onSubmit(form, run, done) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      await run();
      form.hidden = true;
      say(done);
    } catch (error) {
      say(error.message);
    }
    button.disabled = false;
  });
}

onSubmit(password, () => call("resetPassword", { oobCode: code, newPassword: password.elements.password.value }),
  t("changed"));
onSubmit(verify, () => call("update", { oobCode: code }), t("confirmed"));
begin().catch((error) => say(error.message));
