import HTTPTypes
import Requests
import Server

/// The choice of a reader's language.
extension PageLanguage {
    /// Chooses the language of the cookie `lang`, which the user has set; else the one that the browser prefers; else
    /// English.
    init(for headers: HTTPFields) {
        self = Self.chosen(headers) ?? Self.preferred(headers) ?? .english
    }

    /// The header fields of a request that the choice depends on.
    static let vary = "Accept-Language, Cookie"

    private static func chosen(_ headers: HTTPFields) -> PageLanguage? {
        for pair in headers[values: .cookie].flatMap({ $0.split(separator: ";") }) {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
            if parts.count == 2, parts[0] == "lang" { return PageLanguage(rawValue: parts[1]) }
        }
        return nil
    }

    private static func preferred(_ headers: HTTPFields) -> PageLanguage? {
        var best: (language: PageLanguage, weight: Double)?
        for (name, weight) in headers.weighted(.acceptLanguage) where weight > best?.weight ?? 0 {
            // `de-AT` is German, too; `*` stands for English.
            let primary = name.prefix { $0 != "-" }
            guard let language = name == "*" ? .english : PageLanguage(rawValue: String(primary)) else { continue }
            best = (language, weight)
        }
        return best?.language
    }
}
