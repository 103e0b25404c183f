package import API
package import Model
import Tree
package import TreeModel

/// A person as others see them: their profile, and the derived numbers.
package struct Profile: Sendable, Hashable {
    /// The numbers at ``PeopleNodes/stats``.
    package struct Counts: Sendable, Hashable {
        package var posts: Int64 = 0
        package var followers: Int64 = 0
        package var following: Int64 = 0
    }

    package let person: Person
    /// The person's occupation, such as "speaker".
    package let role: String?
    /// The person's description of themselves.
    package let bio: String?
    package let counts: Counts
    /// Whether the reader follows the person; nil for a reader without an id.
    package let isFollowed: Bool?
    /// Whether the reader has blocked the person; nil for a reader without an id.
    package let isBlocked: Bool?
    package let times: EntityTimes

    /// Reads a person's profile field by field; nil if `people/{uid}` does not exist.
    ///
    /// Fields that are not text are left out.
    init?(of uid: UserID, for reader: UserID?, in snapshot: TreeSnapshot) throws(TreeError) {
        let path = PeopleNodes.person(uid)
        guard try snapshot.exists(path) else { return nil }
        let (name, picture) = try snapshot.nameAndPicture(of: uid)
        person = Person(uid: uid, fullName: name, profilePicture: picture)
        role = try snapshot.get(path / "role")?.stringValue
        bio = try snapshot.get(path / "bio")?.stringValue
        func count(_ name: TreeKey) throws(TreeError) -> Int64 {
            try snapshot.get(PeopleNodes.stats(uid) / name)?.integerValue ?? 0
        }
        counts = Counts(
            posts: try count("posts"), followers: try count("followers"), following: try count("following"))
        isFollowed = if let reader { try snapshot.exists(PeopleNodes.following(reader) / uid.key) } else { nil }
        times = try EntityTimes(at: TimeNodes.person(uid), in: snapshot)
        isBlocked = if let reader { try snapshot.exists(PeopleNodes.blocking(reader) / uid.key) } else { nil }
    }
}

/// A change of a person's profile. Posts, follows and the rest of the person's record are unchanged.
package struct ProfileChange: Sendable, Hashable {
    /// A field that may be changed, by its name in `people/{uid}`.
    package enum Field: String, CaseIterable, Sendable {
        case fullName = "full_name"
        case profilePicture = "profile_picture"
        case role, bio

        /// The longest value, in characters; less than the limits of the security rules, which count UTF-16 units.
        package var maxLength: Int {
            switch self {
            case .fullName, .role: 199
            case .profilePicture, .bio: 1999
            }
        }
    }

    /// The new values; nil for a field that is deleted.
    let values: [Field: String?]

    /// Checks the fields of a request.
    ///
    /// - Parameters:
    ///   - fields: The members of a JSON object: texts, or null for a field to delete.
    ///   - isWhole: Whether missing fields are also deleted.
    /// - Throws: `Failure` with the code `bad_text` for a text that is invalid in its field, or else `bad_request`.
    package init(_ fields: [String: JSONValue], isWhole: Bool) throws(Failure) {
        var values: [Field: String?] = [:]
        if isWhole { for field in Field.allCases { values.updateValue(nil, forKey: field) } }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            guard let field = Field(rawValue: name) else {
                throw Failure(
                    .badRequest, "there is no field \"\(name.prefix(80))\" here",
                    hint: "Use only these: \(Field.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            switch value {
            case .null: values.updateValue(nil, forKey: field)
            case .string(let text): values.updateValue(try field.checked(text), forKey: field)
            default: throw Failure(.badRequest, "\(name) is not a text", hint: "Write it as {\"\(name)\": \"…\"}.")
            }
        }
        guard !values.isEmpty else {
            throw Failure(.badRequest, "the request changes no field", hint: "Write it as {\"full_name\": \"…\"}.")
        }
        if let name = values[.fullName], name == nil {
            throw Failure(.badText, "full_name is missing", hint: "Give a name, as in {\"full_name\": \"…\"}.")
        }
        self.values = values
    }

    func write(to update: inout MultiPathUpdate, of uid: UserID) {
        for (field, value) in values {
            update[PeopleNodes.person(uid) / TreeKey(unchecked: field.rawValue)] = value.map(TreeValue.string)
        }
    }
}

extension ProfileChange.Field {
    /// Returns a text from another source as the field permits it; nil if no permitted text is left.
    package func fitted(_ text: String) -> String? {
        var line = String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
        while line.utf16.count > maxLength { line.removeLast() }
        return (try? checked(line)) ?? nil
    }

    /// Returns the text in the stored form; nil if it is empty.
    fileprivate func checked(_ text: String) throws(Failure) -> String? {
        guard let checked = PostText.checked(text, maxCharacters: maxLength), checked.utf16.count <= maxLength,
            self == .bio || !checked.contains(where: { $0.isNewline || $0 == "\t" })
        else {
            throw Failure(
                .badText, "\(rawValue) is too long, or has characters that are not allowed",
                hint: "Write at most \(maxLength) characters\(self == .bio ? "" : " on one line").")
        }
        if self == .profilePicture, !checked.isEmpty, !Self.isAddress(checked) {
            throw Failure(
                .badText, "profile_picture is not the address of a picture",
                hint: "Begin it with https://, http:// or /, and write no spaces.")
        }
        return checked.isEmpty ? nil : checked
    }

    private static func isAddress(_ text: String) -> Bool {
        ["https://", "http://", "/"].contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
            && !text.unicodeScalars.contains { $0.properties.isWhitespace }
    }
}
