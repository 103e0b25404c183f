import API
import Access
import HTTPTypes
import Hummingbird
import Model
import Requests
import Social
import Transport
import TreeModel
import Uploads

/// What the sender of an upload says beside the photos, in the query or in fields of a form.
struct UploadForm {
    var fields: RequestFields
    private let clientReference: String?
    private let identity: Identity

    init(_ request: Request, _ context: HTTPContext) {
        fields = context.query
        clientReference = request.headers[.idempotencyKey]
        identity = context.identity
    }

    /// What a photo that comes as it is was called.
    var photoName: String { fields["name"] ?? "photo" }

    /// The post's text so far: a form may bring it after the photos.
    var text: String { fields["text"] ?? "" }

    /// Whom parts of the text stand for: a list, as JSON text; nil when it is not said.
    ///
    /// - Throws: `Failure` `bad_mention`.
    static func mentions(in fields: RequestFields) throws(Failure) -> [MentionSpan.Claim]? {
        guard let text = fields["mentions"] else { return nil }
        return try MentionSpan.Claim.read(JSONValue(text: text.utf8) ?? .null)
    }

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
    /// - Throws: `Failure` with the code `bad_user`, `permission_denied` or `not_allowed`, `Failure` for a bad flag.
    func request() throws -> UploadRequest {
        let owner = try owner()
        var request = UploadRequest(owner: owner, intake: .socket)
        if case .user(let sender) = identity {
            let token = sender.auth["token"]
            request.claims = OwnerClaims(claimed: token?["name"]?.string, picture: token?["picture"]?.string)
        }
        request.text = text
        request.isDraft = try fields.flag("draft")
        // Of anything but a draft the text may come later.
        let mentions = try Self.mentions(in: fields) ?? []
        if request.isDraft { request.mentions = mentions }
        request.clientReference = clientReference
        request.audiences = try audiences()
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

extension UploadForm {
    /// Who posts: whoever sends the request, or whom an admin names.
    private func owner() throws(Failure) -> UserID {
        let user: String
        switch (identity, fields["user"]) {
        case (.anonymous, _): throw .permissionDenied(hint: "sign in, and send the token in Authorization")
        case (.user(let sender), let named):
            guard let uid = sender.uid, named == nil || named == uid else { throw .notAllowed("post as somebody else") }
            user = uid
        case (.admin, let named?): user = named
        case (.admin, nil):
            throw Failure(
                .badUser, "it is not said who posts",
                hint: "give user in the query, or as a form field before the first photo")
        }
        guard let owner = UserID(user) else { throw Failure.noUserID(user) }
        return owner
    }

    /// For whom the post is to be: the field `audiences`, ids with spaces or commas between; everybody where it is not given.
    ///
    /// - Throws: `Failure` with the code `bad_audience`: what was meant for some must never be for everybody.
    func audiences() throws(Failure) -> [AudienceID] {
        guard let text = fields["audiences"] else { return [] }
        let words = text.split { $0 == " " || $0 == "," }
        let ids = words.compactMap { AudienceID(String($0)) }
        guard ids.count == words.count, (1...PostAudiences.maxCount).contains(ids.count) else {
            throw Failure(
                .badAudience, "\"\(text.prefix(80))\" names no audiences",
                hint: "give 1 to \(PostAudiences.maxCount) ids, with spaces between; leave it out for everybody")
        }
        return Set(ids).sorted()
    }

    /// The kinds of a body with photos.
    static let body: [String: Schema] = [
        "image/*": .binary, "application/octet-stream": .binary,
        "multipart/form-data": .object([
            "user": .userID, "text": .text, "mentions": .text, "draft": .flag, "audiences": .text, "alt": .text,
            "photo": .list(of: .binary),
        ]),
    ]

    /// What may be wrong with an upload or its photos.
    static let errors: [ErrorCode] =
        [
            .badMultipart, .badText, .badMention, .notConsented, .moderationRefused, .wrongState, .deleted,
            .tooManyPhotos,
        ] + photoErrors

    /// What may be wrong with one photo.
    static let photoErrors: [ErrorCode] = [
        .emptyFile, .tooSlow, .tooLarge, .quotaExceeded, .unsupportedFormat, .unsupportedType, .tooManyPixels,
        .sideTooLong,
        .tooManyFrames, .tooManyScans, .tooMuchMemory, .truncated, .corrupt, .decoderCrashed, .decoderTimedOut,
    ]
}

extension HTTPField.Name {
    static var idempotencyKey: HTTPField.Name { HTTPField.Name(parsed: "idempotency-key") }
    static var prefer: HTTPField.Name { HTTPField.Name(parsed: "prefer") }
    static var preferenceApplied: HTTPField.Name { HTTPField.Name(parsed: "preference-applied") }
}
