/// A language of the pages.
package enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
}
