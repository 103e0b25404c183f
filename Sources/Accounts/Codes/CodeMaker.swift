import Access
import Cryptography
import Foundation
import TreeModel

/// The order for a code.
struct CodeOrder: Sendable {
    let kind: ActionCode.Kind
    /// The address of the account.
    let email: EmailAddress
    /// The new address of the account; nil for other kinds.
    var newEmail: EmailAddress?
    /// The account that made the request; nil if any holder of the address may use the code.
    var owner: ActionCode.Owner?
    /// The page that the link finally continues to.
    var continueURL: String?

    /// Whether the code requires an account with the address.
    var needsAccount: Bool { kind != .signIn }
}

/// Creates codes.
struct CodeMaker: Sendable {
    let store: AccountStore
    let current: CurrentIdentitySettings
    let emulator: EmulatorState
    /// Returns the service as messages name it at present.
    let site: @Sendable () -> AccountMessage.Site

    /// The operator's settings at present.
    var settings: IdentitySettings { current.value }

    /// Creates a code and its message.
    ///
    /// - Returns: nil if the required account with the address does not exist, or if an account with the new address
    ///   exists.
    func make(_ order: CodeOrder) async throws(IdentityError) -> AccountMessage? {
        guard let text = try? RandomText.make(bytes: 32) else { throw .unavailable() }
        let made: ActionCode? = try await store.transact { transaction in
            var owner: ActionCode.Owner?
            if order.needsAccount {
                guard let account = try transaction.reader.account(email: order.email), !account.isDisabled,
                    order.owner ?? .init(account) == .init(account)
                else { return nil }
                owner = ActionCode.Owner(account)
            }
            if let newEmail = order.newEmail, try transaction.reader.account(email: newEmail) != nil { return nil }
            let code = ActionCode(
                order.kind, email: order.email, newEmail: order.newEmail, owner: owner, at: transaction.now)
            try transaction.add(code, text: text)
            return code
        }
        guard let code = made else { return nil }
        let site = site()
        let message = AccountMessage(
            kind: order.kind.rawValue, email: (order.newEmail ?? order.email).description, code: text,
            link: link(to: text, order, language: site.language ?? "en"),
            expiresMilliseconds: code.expiresAt.milliseconds, site: site)
        if settings.isEmulator { emulator.add(Self.document(of: message, order)) }
        return message
    }

    /// Returns the URL of the page where a code is used; for a sign-in, that of the app itself.
    private func link(to code: String, _ order: CodeOrder, language: String) -> String {
        var items = [("mode", order.kind.mode), ("lang", language), ("oobCode", code), ("apiKey", "any")]
        if let url = order.continueURL { items.append(("continueUrl", url)) }
        let query = items.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        guard order.kind == .signIn, let url = order.continueURL else { return "\(settings.actionURL)?\(query)" }
        let page = url.prefix { $0 != "#" }
        return "\(page)\(page.contains("?") ? "&" : "?")\(query)\(url.dropFirst(page.count))"
    }

    /// Encodes a text as a value of a query (RFC 3986 §2.3).
    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    /// Returns the message as emulators list it.
    private static func document(of message: AccountMessage, _ order: CodeOrder) -> JSONValue {
        var document: JSONValue = [
            "email": .string(order.email.description), "requestType": .string(message.kind),
            "oobCode": .string(message.code), "oobLink": .string(message.link),
        ]
        document["newEmail"] = order.newEmail.map { .string($0.description) }
        return document
    }
}
