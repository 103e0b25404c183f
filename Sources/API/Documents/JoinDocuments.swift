/// The receipt of a request to join: the same whether the address has an account or not.
package struct JoinReceiptDocument: Document {
    package var received = true

    package init() {}
}

/// A request to join, for admins.
package struct JoinRequestDocument: Document {
    package let id: String
    package let email: String
    package let name: String
    /// The words of the person; empty if nothing.
    package let text: String
    /// The time of the request, in milliseconds since the epoch.
    package let created: Int64
    /// The same time: a request does not change.
    package let updated: Int64

    package init(id: String, email: String, name: String, text: String, created: Int64) {
        self.id = id
        self.email = email
        self.name = name
        self.text = text
        self.created = created
        updated = created
    }
}

/// All requests to join, the oldest first.
package struct JoinRequestListDocument: Document {
    package let requests: [JoinRequestDocument]

    package init(requests: [JoinRequestDocument]) { self.requests = requests }
}

/// The approval of a request to join.
package struct JoinApprovalDocument: Document {
    /// The invitation for the address, with its code and link.
    package let invitation: InvitationDocument
    /// Whether the service sends it; otherwise the link has to be passed on.
    package let sent: Bool

    package init(invitation: InvitationDocument, sent: Bool) {
        self.invitation = invitation
        self.sent = sent
    }
}

/// The refusal of a request to join.
package struct JoinRefusalDocument: Document {
    package let id: String
    package var declined = true

    package init(id: String) { self.id = id }
}

/// An account of a person without an e-mail address.
package struct ClassAccountDocument: Document {
    package let uid: String
    package let name: String
    /// The time of the account's creation, in milliseconds since the epoch.
    package let created: Int64
    /// The time of the last change of the picture, or else of the creation, in milliseconds since the epoch.
    package let updated: Int64
    /// The time of the last sign-in, in milliseconds since the epoch; nil for never.
    package let lastSignIn: Int64?

    private enum CodingKeys: String, CodingKey {
        case uid, name, created, updated
        case lastSignIn = "last_sign_in"
    }

    package init(uid: String, name: String, created: Int64, updated: Int64, lastSignIn: Int64?) {
        self.updated = updated
        self.uid = uid
        self.name = name
        self.created = created
        self.lastSignIn = lastSignIn
    }
}

/// The accounts of a class whose people have no e-mail address, in the order of their names.
package struct ClassAccountListDocument: Document {
    package let accounts: [ClassAccountDocument]

    package init(accounts: [ClassAccountDocument]) { self.accounts = accounts }
}

/// The change of an account of a class.
package struct ClassAccountChangeDocument: Document {
    package let uid: String
    /// Whether the account was deleted; otherwise its picture was replaced.
    package let deleted: Bool

    package init(uid: String, deleted: Bool) {
        self.uid = uid
        self.deleted = deleted
    }
}
