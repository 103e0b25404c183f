import Access
import Cryptography
import Foundation
import TreeModel

/// A code that is to be made.
struct CodeOrder: Sendable {
    let kind: ActionCode.Kind
    /// The address of the account.
    let email: EmailAddress
    /// The address that the account is to have.
    var newEmail: EmailAddress?
    /// The account that asked; nil where whoever has the address may.
    var owner: ActionCode.Owner?
    /// The page that the person is to come to in the end.
    var continueURL: String?

    /// Whether nothing is made for an address without an account.
    var needsAccount: Bool { kind != .signIn }
}

/// Makes codes.
struct CodeMaker: Sendable {
    let store: AccountStore
    let settings: IdentitySettings
    let emulator: EmulatorState

    /// Makes a code, and the message that has it.
    ///
    /// - Returns: nil when there is no account with the address, and there has to be one, or one with the new address.
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
        let message = AccountMessage(
            kind: order.kind.rawValue, email: (order.newEmail ?? order.email).description, code: text,
            link: link(to: text, order), expiresMilliseconds: code.expiresAt.milliseconds)
        if settings.isEmulator { emulator.add(Self.document(of: message, order)) }
        return message
    }

    /// The address of the page where a code is used: to sign in with it, that of the app itself.
    private func link(to code: String, _ order: CodeOrder) -> String {
        var items = [("mode", order.kind.mode), ("lang", "en"), ("oobCode", code), ("apiKey", "any")]
        if let url = order.continueURL { items.append(("continueUrl", url)) }
        let query = items.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        guard order.kind == .signIn, let url = order.continueURL else { return "\(settings.actionURL)?\(query)" }
        let page = url.prefix { $0 != "#" }
        return "\(page)\(page.contains("?") ? "&" : "?")\(query)\(url.dropFirst(page.count))"
    }

    /// A text as a value of a query (RFC 3986 §2.3).
    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    /// The message as emulators list it.
    private static func document(of message: AccountMessage, _ order: CodeOrder) -> JSONValue {
        var document: JSONValue = [
            "email": .string(order.email.description), "requestType": .string(message.kind),
            "oobCode": .string(message.code), "oobLink": .string(message.link),
        ]
        document["newEmail"] = order.newEmail.map { .string($0.description) }
        return document
    }
}
