/// A declaration that begins on a line.
enum Declaration {
    case type(String, isExtension: Bool, isPrivate: Bool)
    case function(String, isPrivate: Bool)
    case property(String, isPrivate: Bool)
    case module(String)

    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "private", "fileprivate", "open", "static", "final", "mutating", "nonmutating",
        "override", "convenience", "required", "nonisolated", "indirect", "consuming", "borrowing", "prefix", "postfix",
        "infix", "lazy", "weak", "unowned", "isolated", "nonisolated(unsafe)", "private(set)", "package(set)",
        "nonisolated(nonsending)", "fileprivate(set)", "unsafe",
    ]
    private static let types: Set<Substring> = ["struct", "enum", "actor", "protocol", "extension", "typealias"]

    init?(_ line: Substring) {
        var words = line.split(separator: " ")[...]
        var isPrivate = false
        while let word = words.first {
            let isModifier = Self.modifiers.contains(word) || word.hasPrefix("@")
            guard isModifier || word == "class" && words.dropFirst().first == "func" else { break }
            if word == "private" || word == "fileprivate" { isPrivate = true }
            words.removeFirst()
        }
        guard let keyword = words.first else { return nil }
        let next = words.dropFirst().first ?? ""
        let name = String(next.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." || $0 == "`" })
        if keyword == "import" {
            let last = words.last?.split(separator: ".").first ?? ""
            self = .module(String(last))
        } else if Self.types.contains(keyword) || keyword == "class" {
            self = .type(name, isExtension: keyword == "extension", isPrivate: isPrivate)
        } else if keyword == "func" {
            self = .function(name.isEmpty ? String(next.prefix { $0 != "(" }) : name, isPrivate: isPrivate)
        } else if ["init", "deinit", "subscript"].contains(keyword.prefix { $0.isLetter }) {
            self = .function(String(keyword.prefix { $0.isLetter }), isPrivate: isPrivate)
        } else if keyword == "var" || keyword == "let" {
            self = .property(name, isPrivate: isPrivate)
        } else {
            return nil
        }
    }
}
