import TreeModel

/// The description of a field of documents: words, and a format. Most fields mean the same in all documents.
struct FieldDescription {
    private let words: String?
    private let format: String?
    private let isTime: Bool

    /// Returns the description of a field in the schema of this name.
    static func of(_ field: String, in schema: String) -> FieldDescription {
        FieldDescription(
            words: special["\(schema).\(field)"] ?? sync["\(schema).\(field)"]
                ?? passkeys["\(schema).\(field)"] ?? general[field] ?? invitations[field]
                ?? copies[field] ?? passkeys[field],
            format: addresses.contains(field) ? "uri-reference" : nil,
            isTime: times.contains(field))
    }

    /// Returns the schema of the field with the description.
    func added(to schema: JSONValue) -> JSONValue {
        var schema = schema
        if let format, schema["type"] == "string" { schema["format"] = .string(format) }
        let isNumber = schema["format"] == "int64" || schema["type"] == "number"
        let text = [words, isTime && isNumber ? "In milliseconds since 1970." : nil].compactMap(\.self)
        if !text.isEmpty { schema["description"] = .string(text.joined(separator: " ")) }
        return schema
    }

    /// Fields that are points in time, where they are numbers of 64 bits.
    private static let times: Set<String> = [
        "began", "begun_at", "client_edited", "client_timestamp", "created", "created_at", "deleted_at",
        "dropped_at", "due", "edited", "ended", "ended_at", "expires", "files_until", "made_at", "queue_since",
        "quota_created", "quota_updated", "signs_from", "since", "started_at",
        "time", "timestamp", "until", "updated", "updated_at", "verified_at",
    ]

    /// Texts that are addresses; some are relative to that of the service.
    private static let addresses: Set<String> = [
        "continueUrl", "full_storage_uri", "full_url", "photoUrl", "profile_picture", "storage_uri",
        "thumb_storage_uri", "thumb_url", "type", "url",
    ]

    /// The words for fields that mean something else than fields of this name elsewhere, by schema and field.
    private static let special: [String: String] = [
        "ClassCodeSignInRequest.displayName": "The name in the class, at most 30 characters.",
        "ClassCodeSignInRequest.invitation": "The code of the class.",
        "ClassCodeSignInRequest.isNew": "Whether to create an account; otherwise there must be one.",
        "CommentPage.comments": "The comments.",
        "Flag.flagged": "Whether the user flags it.",
        "FlaggedPage.flagged": "The posts and comments.",
        "Follow.following": "Whether the one follows the other.",
        "HashtagPageHashtag.posts": "The number of posts; 1,000 means at least 1,000.",
        "Notification.unread": "Whether it is unread.",
        "NotificationPage.notifications": "The notifications.",
        "NotificationPage.unread": "The number of unread notifications.",
        "PersonCounts.following": "The number of people whom the person follows.",
        "PersonCounts.posts": "The number of the person's posts.",
        "PostCounts.comments": "The number of comments.",
        "PostPage.posts": "The posts.",
        "Published.post": "The post.",
        "Unread.unread": "The number of unread notifications.",
        "Setup.admin": "What has become of the admin.",
        "Setup.email": "The address of the admin; absent without one.",
        "Setup.file": "The path of the configuration file; absent if no settings were ordered.",
        "Setup.invitation": "The admin's invitation, with its code if it is new; absent without one.",
        "Setup.is_new": "Whether the store had no people, accounts and posts.",
        "Setup.lines": "The lines for the configuration file, if the service may not write it.",
        "Setup.preset": "The preset that was ordered; absent for none.",
        "Setup.rules": "What has become of the rules.",
        "Setup.settings": "The settings that differ from those in use; absent if none were ordered.",
        "Setup.uid": "The id of the admin's account; absent without one.",
        "SetupOrder.code": "The code that the log shows at the start; for the first setup.",
        "SetupOrder.email": "The e-mail address of the admin.",
        "SetupOrder.name": "The name of the service; for the first setup.",
        "SetupOrder.password": "The password of the admin's new account; without one, an invitation is made.",
        "SetupOrder.preset": "The preset of the rules: members, public or classroom.",
        "SetupOrder.sign_up": "Who may come in, as in the setting sign-up; for the first setup.",
        "Audience.kind": "The kind: class, school, student or group.",
        "Audience.role": "The requester's role.",
        "AuthorEvent.author": "The id of the author.",
        "Changes.token": "The position up to which changes were read; the next request gives it as `since`.",
        "DraftPublication.photos": "The numbers of the photos, in their order.",
        "DraftPublicationForm.mentions": "The mentions in the text, as JSON.",
        "DraftPublicationForm.photos": "The numbers of the photos, in their order, separated by spaces.",
        "Flagged.since": "The time of the first flag.",
        "JobOrder.limit": "The largest number of posts per second.",
        "Invitation.by": "The user who made it; absent for the owner of the service.",
        "Invitation.code": "The code: a short one always, that of a link only when it is made.",
        "Invitation.email": "The only address that may sign up with it; absent for any.",
        "Invitation.role": "The role in the audience.",
        "Invitation.state": "`valid`, `used_up`, `expired` or `withdrawn`.",
        "InvitationPurpose.by": "The name of the person who invites; absent for the owner of the service.",
        "InvitationPurpose.role": "The role in the audience.",
        "InvitationUse.role": "The role in the audience.",
        "InvitationUse.used": "Whether the person has gained anything by it.",
        "JoinRequestList.requests": "The requests.",
        "NewInvitation.uses": "The number of times that it may be used.",
        "NewAnnouncement.to": "The ids of the people who receive it.",
        "NotificationSelection.all": "Whether all were read.",
        "NotificationSelection.ids": "The ids of those that were read.",
        "NotificationSelection.up_to": "The id of the last one that was read.",
        "Person.role": "The person's role, such as \"speaker\".",
        "PostEvent.data": "The post; null if it was deleted.",
        "PostPage.complete": "Whether a home feed is complete; if not, more posts are being added.",
        "PostEdit.mentions": "The mentions in the text; those that still fit stay by default.",
        "PostEdit.photos": "All photos of the post, in their new order.",
        "PostEdit.text": "The text; null or empty removes it.",
        "PostPhoto.number": "The index at which it was published; absent if that is its index.",
        "PostPhotoEdit.alt": "The alternative text; null or empty removes it, without the field it stays.",
        "PostPhotoEdit.number": "The number of the photo: its `number` in the post, or else its index.",
        "Problem.status": "The status of the response.",
        "Problem.title": "The reason phrase of the status.",
        "QuotaChange.quota": "A number of bytes, `none`, or `default` for the quota of the settings.",
        "SignUpRequest.invitation": "The code of an invitation.",
        "UploadForm.alt": "The alternative text of the first photo.",
        "UploadForm.audiences":
            "The ids of the audiences, separated by spaces; without any, the post is for everybody.",
        "UploadForm.mentions": "The mentions in the text, as JSON.",
        "UploadForm.text": "The post's text.",
        "ValuesValue.error": "The reason for which the value is missing.",
        "ValuesValue.path": "The path as it was requested.",
        "ValuesValue.value": "The value; null if there is none.",
    ]
}
