import API
import HTTPTypes
import Hummingbird
import Pipeline
import Posts

/// What the sender of an upload says beside the photos, in the query or in fields of a form.
struct UploadForm {
    /// What may be said about an upload.
    static let uploadNames = ["user", "text", "draft", "name", "alt", "duplicates"]
    /// What may be said about photos that are added to a draft.
    static let photoNames = ["name", "alt"]

    var fields: FormFields
    private let clientReference: String?

    init(_ request: Request, names: [String]) throws(Failure) {
        fields = try FormFields(queryOf: request.uri, names: names)
        clientReference = request.headers[.idempotencyKey]
    }

    /// What a photo that comes as it is was called.
    var photoName: String { fields["name"] ?? "photo" }

    /// The post's text so far: a form may bring it after the photos.
    var text: String { fields["text"] ?? "" }

    /// Hands out the alternative text that belongs to the photo which begins now: it comes before it.
    ///
    /// - Throws: `Failure` `bad_text`.
    mutating func takeAlt() throws(Failure) -> String {
        try PostText.requireAlt(fields.take("alt") ?? "")
    }

    /// Sees to it that no photo is missing, once there are no more.
    ///
    /// - Throws: `Failure` with the code `bad_request` when there is an alternative text without its photo.
    func checkEnd() throws(Failure) {
        guard fields["alt"] == nil else {
            throw Failure(
                .badRequest, "alt is given, and no photo after it",
                hint: "put each alt before the photo that it belongs to")
        }
    }

    /// What to reserve.
    ///
    /// - Throws: `Failure` with the code `bad_user` when it is not said who posts, `Failure` for a bad flag.
    func request() throws -> UploadRequest {
        guard let user = fields["user"] else {
            throw Failure(
                .badUser, "it is not said who posts",
                hint: "give user in the query, or as a form field before the first photo")
        }
        guard let owner = UserID(user) else {
            throw Failure(
                .badUser, "\"\(user.prefix(80))\" is no user id", hint: "use 1 to 128 letters, digits, _ and -")
        }
        var request = UploadRequest(owner: owner, intake: .socket)
        request.text = text
        request.isDraft = try fields.flag("draft")
        request.clientReference = clientReference
        request.duplicates = try fields["duplicates"].map { text throws(Failure) in
            guard let policy = DuplicatePolicy(rawValue: text) else {
                throw Failure(
                    .badRequest, "duplicates=\(text.prefix(80)) is no policy", hint: "it is link, new-post or reject")
            }
            return policy
        }
        return request
    }
}

extension HTTPField.Name {
    static var idempotencyKey: HTTPField.Name { HTTPField.Name(parsed: "idempotency-key") }
    static var prefer: HTTPField.Name { HTTPField.Name(parsed: "prefer") }
    static var preferenceApplied: HTTPField.Name { HTTPField.Name(parsed: "preference-applied") }
}
