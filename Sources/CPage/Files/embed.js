// <tintype-feed user="maria">, or tag="lake", or neither: the newest posts of a Tintype service in any page.

const service = new URL(import.meta.url).origin;

const texts = {
  en: { label: "Photos", loading: "Loading…", empty: "No posts yet.", failed: "The posts did not load.", again: "Try again", photo: "Photo by {name}" },
  de: { label: "Fotos", loading: "Lädt …", empty: "Noch keine Beiträge.", failed: "Die Beiträge kamen nicht an.", again: "Noch einmal", photo: "Foto von {name}" },
};

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
:host(:not([hidden])) { display: block; }
:host { color-scheme: light dark; }
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(max(6rem, 18%), 1fr)); gap: 4px; margin: 0; padding: 0; list-style: none; }
:host([layout=strip]) ul { grid: auto / auto-flow min(12rem, 70%); overflow-x: auto; }
li { position: relative; aspect-ratio: 1; min-width: 0; }
a, p { display: block; margin: 0; border-radius: 4px; background: light-dark(#eee, #2a2a2a); color: light-dark(#222, #eee); }
a { height: 100%; overflow: hidden; text-decoration: none; }
:focus-visible { outline: 3px solid light-dark(#0b57d0, #a8c7fa); outline-offset: -3px; }
img { display: block; width: 100%; height: 100%; object-fit: cover; }
a span, p { padding: 1em; display: block; overflow-wrap: anywhere; }
.several { position: absolute; top: 6px; right: 6px; padding: 0 .5em; border-radius: 1em; background: #000b; color: #fff; }
`);

const create = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// The address of a file at the service, if a post names it, by any host; null if the address is invalid.
function addressOf({ url }) {
  const { pathname, search } = URL.canParse(url, service) ? new URL(url, service) : {};
  return pathname?.startsWith("/") ? service + pathname + search : null;
}

class TintypeFeed extends HTMLElement {
  static observedAttributes = ["user", "tag", "count", "lang", "refresh"];
  #root = this.attachShadow({ mode: "open" });
  #request = null;
  #timer = 0;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [sheet];
  }

  connectedCallback() { this.#load(true); }

  attributeChangedCallback(name, before, now) { if (this.#request && before !== now) this.#load(true); }

  disconnectedCallback() {
    this.#request?.abort();
    clearTimeout(this.#timer);
  }

  get #texts() {
    const language = this.lang || this.closest("[lang]")?.lang || navigator.language || "en";
    return texts[language.slice(0, 2).toLowerCase()] ?? texts.en;
  }

  get #source() {
    const [user, tag] = [this.getAttribute("user"), this.getAttribute("tag")];
    const path = user ? `people/${encodeURIComponent(user)}/posts` : tag ? `hashtags/${encodeURIComponent(tag.replace(/^#/, ""))}/posts` : "posts";
    return `${service}/v1/${path}?limit=${Math.min(Math.max(parseInt(this.getAttribute("count")) || 9, 1), 60)}`;
  }

  async #load(isFirst) {
    this.#request?.abort();
    clearTimeout(this.#timer);
    const request = this.#request = new AbortController();
    if (isFirst) this.#say(this.#texts.loading);
    try {
      const answer = await fetch(this.#source, { credentials: "omit", signal: request.signal });
      if (!answer.ok) throw new Error(String(answer.status));
      this.#show((await answer.json()).posts);
    } catch (error) {
      if (request.signal.aborted) return;
      // Otherwise the posts shown before stay.
      if (isFirst) this.#say(this.#texts.failed, create("button", { type: "button", textContent: this.#texts.again, onclick: () => this.#load(true) }));
    }
    const seconds = Number(this.getAttribute("refresh"));
    if (seconds > 0 && this.isConnected) this.#timer = setTimeout(() => this.#load(false), Math.max(seconds, 10) * 1000);
  }

  #say(text, ...others) {
    this.#root.replaceChildren(create("p", { role: "status" }, text, " ", ...others));
  }

  #show(posts) {
    const items = posts.map((post) => this.#item(post)).filter(Boolean);
    if (items.length === 0) return this.#say(this.#texts.empty);
    const list = create("ul", { ariaLabel: this.getAttribute("label") ?? this.#texts.label }, ...items);
    const focused = this.#root.activeElement?.href;
    this.#root.replaceChildren(list);
    if (focused) [...list.querySelectorAll("a")].find((link) => link.href === focused)?.focus({ preventScroll: true });
  }

  #item(post) {
    const link = create("a", { href: `${service}/posts/${encodeURIComponent(post.post_id)}` });
    const name = post.author?.full_name ?? post.author?.uid ?? "";
    const photos = Object.values(post.photos ?? {});
    const image = photos.length > 0 ? this.#image(photos[0], name) : null;
    if (image) {
      link.append(image);
    } else {
      if (!post.text) return null;
      link.append(create("span", { dir: "auto", textContent: post.text }));
    }
    const item = create("li", {}, link);
    if (image && photos.length > 1) {
      link.ariaLabel = `${image.alt} (${photos.length})`;
      item.append(create("span", { className: "several", textContent: photos.length, ariaHidden: "true" }));
    }
    return item;
  }

  #image(photo, name) {
    const sizes = Object.values(photo.renditions ?? {}).map((rendition) => ({ width: rendition.width, url: addressOf(rendition) }))
      .filter(({ url }) => url).sort((a, b) => a.width - b.width);
    if (sizes.length === 0) return null;
    const image = create("img", { alt: photo.alt || this.#texts.photo.replace("{name}", () => name), loading: "lazy", decoding: "async" });
    image.style.backgroundColor = photo.color ?? "";
    image.sizes = "(max-width: 40rem) 50vw, 20rem";
    image.srcset = sizes.map(({ url, width }) => `${url} ${width}w`).join(", ");
    image.src = sizes.at(-1).url;
    return image;
  }
}

customElements.define("tintype-feed", TintypeFeed);
