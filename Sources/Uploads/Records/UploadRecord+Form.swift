package import API
package import Model
import Social
package import TreeModel

extension UploadRecord {
    /// The fields, except those that depend on others: mentions depend on the text, and photos on the owner.
    private static let form = RecordForm(
        Self.init(
            id:owner:purpose:intake:audiences:claims:state:text:mentions:photos:clientReference:fingerprint:
            draftPosition:source:duplicates:createdAt:updatedAt:attempts:error:isOwnerGone:duplicateOf:moderation:
            clientTimestamp:),
        .init(keyAs: \.id), .init("owner", \.owner), .init("purpose", \.purpose, default: .post),
        .init("door", \.intake), .init("audiences", \.audiences, default: []), .init("owner_claims", \.claims),
        .init("state", \.state), .init("text", \.text, default: ""), .init(unstored: []),
        .init(unstored: [:]), .init("client_ref", \.clientReference), .init("fingerprint", \.fingerprint),
        .init("draft", \.draftPosition), .init("source", \.source), .init("duplicates", \.duplicates),
        .init("created_at", \.createdAt),
        .init("updated_at", \.updatedAt, fallback: "created_at"), .init("attempts", \.attempts, default: 0),
        .init("error", \.error), .init("owner_gone", \.isOwnerGone, default: false),
        .init("duplicate_of", \.duplicateOf), .init("moderation", \.moderation),
        .init("client_timestamp", \.clientTimestamp))

    /// Returns the record as a value of the tree.
    package func value() throws(TreeError) -> TreeValue {
        var fields: [TreeKey: TreeValue] = [:]
        Self.form.write(self, &fields)
        fields["mentions"] = MentionSpan.value(of: mentions)
        var records: [TreeKey: TreeValue] = [:]
        for (number, photo) in photos { records[number.treeKey] = try photo.value(owner: owner, post: id) }
        fields["photos"] = .object(records)
        return .object(fields)
    }

    /// Reads a record; nil if it is malformed.
    package init?(id: PostID, value: TreeValue?) {
        guard let value, let record = try? Self.form.read(value, id.key) else { return nil }
        self = record
        mentions = MentionSpan.read(value["mentions"], of: text)
        for (key, photo) in value["photos"]?.object ?? [:] {
            guard let number = Int(key), let photo = Photo(photo) else { return nil }
            photos[number] = photo
        }
    }
}

extension UploadRecord.Photo {
    /// The fields, except the renditions, whose addresses contain the owner and the post, and their files.
    private static let form = RecordForm(
        Self.init(
            fileName:originalName:byteCount:sha256:rendered:files:alt:storedSHA256:storedByteCount:reencoding:droppedAt:
            isBlurred:position:),
        .init("file_name", \.fileName), .init("original_name", \.originalName, fallback: "file_name"),
        .init("bytes", \.byteCount), .init("sha256", \.sha256), .init(unstored: nil), .init(unstored: [:]),
        .init("alt", \.alt, default: ""), .init("stored_sha256", \.storedSHA256),
        .init("stored_bytes", \.storedByteCount), .init("reencoded", \.reencoding), .init("dropped_at", \.droppedAt),
        .init("blurred", \.isBlurred, default: false), .init("position", \.position))

    package func value(owner: UserID, post: PostID) throws(TreeError) -> TreeValue {
        var fields: [TreeKey: TreeValue] = [:]
        Self.form.write(self, &fields)
        fields["rendered"] = try rendered?.value(owner: owner, post: post)
        if !files.isEmpty { fields["files"] = try files.value() }
        return .object(fields)
    }

    init?(_ value: TreeValue) {
        guard let photo = try? Self.form.read(value, nil) else { return nil }
        self = photo
        rendered = value["rendered"].flatMap { PhotoRecord($0) }
        files = Dictionary(value["files"])
    }
}

// MARK: Values of fields

extension UploadState: FieldValue {}
extension UploadPurpose: FieldValue {}
extension Intake: FieldValue {}
extension DuplicatePolicy: FieldValue {}

extension Failure: FieldValue {
    package init?(_ value: TreeValue) {
        guard let code = value["code"]?.stringValue else { return nil }
        self.init(ErrorCode(named: code), value["message"]?.stringValue ?? "", hint: value["hint"]?.stringValue ?? "")
    }

    package var value: TreeValue {
        ["code": .string(code.rawValue), "message": .string(message), "hint": .string(hint)]
    }
}
