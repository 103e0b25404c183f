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

/// The description of an upload apart from its photos, in the query or in fields of a form.
struct UploadForm {
    var fields: RequestFields
    private let clientReference: String?
    private let identity: Identity

    init(_ request: Request, _ context: HTTPContext) {
        fields = context.query
        clientReference = request.headers[.idempotencyKey]
        identity = context.identity
    }

    /// The name of a photo that is the body itself.
    var photoName: String { fields["name"] ?? "photo" }

    /// The post's text so far; in a form it may follow the photos.
    var text: String { fields["text"] ?? "" }

    /// Returns the mentions in the text, parsed from JSON; nil if they are not specified.
    ///
    /// - Throws: `Failure` `bad_mention`.
    static func mentions(in fields: RequestFields) throws(Failure) -> [MentionSpan.Claim]? {
        guard let text = fields["mentions"] else { return nil }
        return try MentionSpan.Claim.read(JSONValue(text: text.utf8) ?? .null)
    }

    /// Removes and returns the alternative text of the photo that begins now; it precedes the photo.
    ///
    /// - Throws: `Failure` `bad_text`.
    mutating func takeAlt() throws(Failure) -> String {
        try PostText.requireAlt(fields.take("alt") ?? "")
    }

    /// Checks at the end that no photo is missing.
    ///
    /// - Throws: `Failure` with the code `bad_request` for an alternative text without its photo.
    func checkEnd() throws(Failure) {
        guard fields["alt"] == nil else {
            throw Failure(
                .badRequest, "alt is given without a photo after it",
                hint: "Put each alt before the photo that it belongs to.")
        }
    }

    /// Returns the reservation that the form requests.
    ///
    /// - Throws: `Failure` with the code `bad_user`, `permission_denied` or `not_allowed`, or the failure for a
    ///   malformed flag.
    func request() throws -> UploadRequest {
        let owner = try owner()
        var request = UploadRequest(owner: owner, intake: .socket)
        if case .user(let sender) = identity {
            let token = sender.auth["token"]
            request.claims = OwnerClaims(claimed: token?["name"]?.string, picture: token?["picture"]?.string)
        }
        request.text = text
        request.isDraft = try fields.flag("draft")
        // Unless it is a draft, the text may follow later.
        let mentions = try Self.mentions(in: fields) ?? []
        if request.isDraft { request.mentions = mentions }
        request.clientReference = clientReference
        request.audiences = try audiences()
        request.clientTimestamp = try clientTime()
        request.duplicates = try fields["duplicates"].map { text throws(Failure) in
            guard let policy = DuplicatePolicy(rawValue: text) else {
                throw Failure(
                    .badRequest, "duplicates=\(text.prefix(80)) is not a policy",
                    hint: "Use link, new-post or reject.")
            }
            return policy
        }
        return request
    }
}

extension UploadForm {
    /// Returns the author: the sender of the request, or the user whom an admin names.
    private func owner() throws(Failure) -> UserID {
        let user: String
        switch (identity, fields["user"]) {
        case (.anonymous, _): throw .permissionDenied(hint: "Sign in, and send the token in Authorization.")
        case (.user(let sender), let named):
            guard let uid = sender.uid, named == nil || named == uid else { throw .notAllowed("post as another user") }
            user = uid
        case (.admin, let named?): user = named
        case (.admin, nil):
            throw Failure(
                .badUser, "the request names no author",
                hint: "Give user in the query, or as a form field before the first photo.")
        }
        guard let owner = UserID(user) else { throw Failure.noUserID(user) }
        return owner
    }

    /// Returns the audiences of the post: the field `audiences`, ids separated by spaces or commas; empty, for
    /// everybody, if it is not given.
    ///
    /// - Throws: `Failure` with the code `bad_audience`: a post for audiences must never become public.
    func audiences() throws(Failure) -> [AudienceID] {
        guard let text = fields["audiences"] else { return [] }
        let words = text.split { $0 == " " || $0 == "," }
        let ids = words.compactMap { AudienceID(String($0)) }
        guard ids.count == words.count, (1...PostAudiences.maxCount).contains(ids.count) else {
            throw Failure(
                .badAudience, "\"\(text.prefix(80))\" names no audiences",
                hint: "Give 1 to \(PostAudiences.maxCount) ids, with spaces between, or leave it out for everybody.")
        }
        return Set(ids).sorted()
    }

    /// Returns the client time of the post; nil if it is not given.
    ///
    /// - Throws: `Failure` with the code `bad_timestamp`.
    func clientTime() throws(Failure) -> Timestamp? { try ClientTime.read(fields["client_timestamp"]) }

    /// The content types of a body with photos: a form, or a single photo, of any type. The form's field `user` is left
    /// out, because it has to precede the photos; `draft` is a text, because generated clients write `True`.
    static let body: [String: Schema] = [
        "application/octet-stream": .binary,
        "multipart/form-data": .object([
            "text": .text, "mentions": .text, "draft": .words("true", "false"), "audiences": .text,
            "client_timestamp": .text, "alt": .text,
            "photo": .list(of: .binary),
        ]).named("UploadForm"),
    ]

    /// The errors of an upload or its photos.
    static let errors: [ErrorCode] =
        [
            .badMultipart, .badText, .badMention, .badTimestamp, .notConsented, .moderationRefused, .wrongState,
            .deleted,
            .tooManyPhotos,
        ] + photoErrors

    /// The errors of a single photo.
    static let photoErrors: [ErrorCode] = [
        .emptyFile, .tooSlow, .tooLarge, .quotaExceeded, .unsupportedFormat, .unsupportedType, .tooManyPixels,
        .sideTooLong,
        .tooManyFrames, .tooManyScans, .tooMuchMemory, .truncated, .corrupt, .decoderCrashed, .decoderTimedOut,
    ]
}

extension HTTPField.Name {
    static var prefer: HTTPField.Name { HTTPField.Name(parsed: "prefer") }
    static var preferenceApplied: HTTPField.Name { HTTPField.Name(parsed: "preference-applied") }
}
