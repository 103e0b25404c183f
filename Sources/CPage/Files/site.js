// The service as its operator named it.

export const siteName = document.body.dataset.site;

// The links to pages about the service, such as the imprint: { href, label }.
export const siteLinks = () => [...document.querySelectorAll("#site-links a")].map(({ href, textContent }) => ({ href, label: textContent }));
