import TreeModel

/// The texts and names of the model, with the expected results of the service.
enum NaiveWords {
    static let texts = ["hello", "#one day", "#One and #two", "no#tag", "look: #été!", "#12 is no tag"]

    private static let tagsOfTexts: [String: Set<String>] = [
        "#one day": ["one"], "#One and #two": ["one", "two"], "look: #été!": ["été"],
    ]

    static func tags(_ post: TreeValue?) -> Set<String> {
        post?["text"]?.stringValue.flatMap { tagsOfTexts[$0] } ?? []
    }

    static let tags = ["one", "two", "été", "tag", "12"]

    /// Names, each with its folded words.
    static let names: [(name: String, words: [String])] = [
        ("Ann Lée", ["ann", "lee"]), ("ANN LEE", ["ann", "lee"]), ("Bob", ["bob"]),
        ("Éva Ann de Bóck", ["eva", "ann", "de", "bock"]), ("Lee Bob", ["lee", "bob"]), ("Zoë", ["zoe"]),
    ]

    static let prefixes = ["a", "ann", "Ann L", "LÉE", "lee b", "bob", "bock de", "z", "zz", "e", "de"]

    /// Returns the forms by which a name is found; none for other names.
    static func forms(_ name: String?) -> [String] {
        guard let name else { return [] }
        // A person without a name is found by the id, which is one word.
        let words = names.first { $0.name == name }?.words ?? [name]
        return [words.joined(separator: " "), words.reversed().joined(separator: " ")]
    }

    static func folded(_ prefix: String) -> String {
        ["Ann L": "ann l", "LÉE": "lee"][prefix] ?? prefix
    }
}

extension NaiveSocial {
    /// Returns the search keys at `people/{uid}/_search_index`.
    func searchIndex(of uid: String) -> TreeValue? {
        let forms = NaiveWords.forms(main.text("people/\(uid)/full_name"))
        guard forms.count == 2, agrees(uid, to: "social") else { return nil }
        return ["full_name": .string(forms[0]), "reversed_full_name": .string(forms[1])]
    }

    /// Returns the people who are found by a prefix, in the order of the matches.
    func found(by prefix: String) -> [String] {
        let prefix = NaiveWords.folded(prefix)
        let rows = main.keys("people").filter { agrees($0, to: "social") }.compactMap {
            uid -> (form: String, uid: String)? in
            let forms = NaiveWords.forms(main.text("people/\(uid)/full_name")).filter { $0.hasPrefix(prefix) }
            return forms.min().map { ($0, uid) }
        }
        return rows.sorted { ($0.form, $0.uid) < ($1.form, $1.uid) }.map(\.uid)
    }
}
