import API
import Access
import Server
import TreeModel

/// The texts of the pages in one language, from `texts.json`, which contains all.
struct PageTexts: Sendable {
    /// A text, or its forms for numbers.
    private enum Entry {
        case text(String)
        case forms(one: String, other: String)
    }

    /// The parts of the pages whose texts are served together, by the name of the module; the other texts are needed
    /// once the first view of the gallery is shown.
    private static let parts = [
        "texts": ["card", "feed", "nav", "photo", "problem"], "ops-texts": ["ops"],
        "account-texts": ["account"],
    ]
    private static let rest = "late-texts"

    let language: PageLanguage
    private let entries: [String: Entry]
    /// The texts with a single form, by the parts of their keys: the value `t` of templates.
    let tree: [String: [String: String]]
    /// The texts as modules, by the names at which they are served.
    let modules: [String: [UInt8]]

    /// The texts of each language.
    static let all: [PageLanguage: PageTexts] = {
        let texts = JSONValue(text: PageFiles["texts.json"])
        return Dictionary(
            uniqueKeysWithValues: PageLanguage.allCases.map { language in
                (language, PageTexts(language, texts?[language.rawValue] ?? [:]))
            })
    }()

    static func `in`(_ language: PageLanguage) -> PageTexts { all[language] ?? PageTexts(language, [:]) }

    private init(_ language: PageLanguage, _ texts: JSONValue) {
        self.language = language
        var members: [String: JSONValue] = [:]
        if case .object(let object) = texts { members = object }
        entries = members.compactMapValues { value in
            if let text = value.string { return .text(text) }
            guard let one = value["one"]?.string, let other = value["other"]?.string else { return nil }
            return .forms(one: one, other: other)
        }
        var tree: [String: [String: String]] = [:]
        for (key, value) in members {
            let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
            if let text = value.string, parts.count == 2 { tree[parts[0], default: [:]][parts[1]] = text }
        }
        self.tree = tree
        let grouped = Dictionary(grouping: members) { key, _ in
            Self.parts.first { $0.value.contains(String(key.prefix { $0 != "." })) }?.key ?? Self.rest
        }
        modules = Dictionary(
            uniqueKeysWithValues: grouped.map { part, texts in
                let object = JSONValue.object(Dictionary(uniqueKeysWithValues: texts.map { ($0.key, $0.value) }))
                let name = "\(part).\(language.rawValue).js"
                return (name, Array("export default ".utf8) + object.text + Array(";\n".utf8))
            })
    }

    /// Returns a text with its values inserted in place of `{name}`; if it has several forms, `count` chooses one.
    func text(_ key: String, _ values: [String: String] = [:], count: Int64? = nil) -> String {
        var values = values
        if let count { values["count"] = "\(count)" }
        switch entries[key] {
        case .text(let text): return Self.filled(text, values)
        case .forms(let one, let other): return Self.filled(count == 1 ? one : other, values)
        case nil: return key
        }
    }

    /// Replaces the names in one pass: braces within a value stay unchanged.
    private static func filled(_ text: String, _ values: [String: String]) -> String {
        var filled = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: start)..<end])
            filled += rest[..<start]
            filled += values[name] ?? "{\(name)}"
            rest = rest[rest.index(after: end)...]
        }
        return filled + rest
    }
}
