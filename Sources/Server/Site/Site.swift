/// The service as its operator named it, for pages, apps, feeds and messages.
package struct Site: Sendable {
    /// The name, which ``SiteText`` has checked.
    package var name = "Tintype"
    /// The description; nil for the sentence of the pages, in the reader's language.
    package var description: String?
    /// The colour of links and buttons; nil for that of the pages' own style.
    package var accent: AccentColor?
    /// The icon; nil for the one that is part of the program.
    package var icon: SiteIcon?
    /// The language of the pages; nil for the one that each reader prefers.
    package var language: PageLanguage?
    /// The addresses of the imprint, of the terms of use and of the privacy policy: complete, or paths at the service;
    /// nil for none.
    package var imprint: String?
    package var terms: String?
    package var privacy: String?

    package init() {}

    /// The name for places with little room: whole words of at most 12 characters in all, if the first word is not
    /// longer.
    package var shortName: String {
        guard name.count > 12 else { return name }
        let words = name.split(separator: " ")
        var short = words.first.map(String.init) ?? name
        for word in words.dropFirst() {
            guard short.count + 1 + word.count <= 12 else { break }
            short += " \(word)"
        }
        return short
    }
}
