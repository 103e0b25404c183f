import API
import Accounts
import Model
import Requests
import TreeModel

/// The fields of a request that makes an invitation, or approves a request to join.
enum InvitationFields {
    static let names = ["short", "uses", "days", "audience", "role", "admin", "no_address", "note"]
    static let example = #"{"audience":"7b","role":"poster","days":14}"#

    static let schema = Schema.object([
        "short": .flag, "uses": .integer(1...InvitationOrder.maxUses), "days": .integer(1...InvitationOrder.maxDays),
        "audience": .userID, "role": .one(of: AudienceRole.self), "admin": .flag, "no_address": .flag,
        "note": .text(upTo: InvitationOrder.maxNoteLength),
    ]).named("NewInvitation")

    /// Reads an order; whether its fields fit together is checked where it is carried out.
    ///
    /// - Throws: `Failure` with the code `bad_request`, `bad_text` or `not_found`.
    static func order(_ members: [String: JSONValue]) throws(Failure) -> InvitationOrder {
        var order = InvitationOrder()
        order.isShort = try flag("short", members)
        order.grantsAdmin = try flag("admin", members)
        order.isWithoutAddress = try flag("no_address", members)
        order.uses = try number("uses", members)
        order.days = try number("days", members)
        if let value = members["audience"] { order.audience = try audience(value.string ?? "") }
        if let value = members["role"] {
            guard let role = value.string.flatMap({ AudienceRole(rawValue: $0) }) else {
                throw Failure(
                    .badRequest, "role is not owner, poster or reader", hint: "Write it as \(example).")
            }
            order.role = role
        }
        if let value = members["note"] {
            let note = try line(value, "note", upTo: InvitationOrder.maxNoteLength)
            order.note = note.isEmpty ? nil : note
        }
        return order
    }

    /// - Throws: `Failure` with the code `not_found` for a malformed id.
    static func audience(_ text: String) throws(Failure) -> AudienceID {
        guard let id = AudienceID(text) else {
            throw Failure(
                .notFound, "the audience does not exist", hint: "Use an id of 1 to 128 of A–Z, a–z, 0–9, _ and -.")
        }
        return id
    }

    /// Returns a text of one line.
    ///
    /// - Throws: `Failure` with the code `bad_text`.
    static func line(_ value: JSONValue?, _ name: String, upTo maxLength: Int) throws(Failure) -> String {
        guard let line = value?.string.flatMap({ PostText.checked($0, maxCharacters: maxLength) }),
            !line.contains(where: \.isNewline)
        else { throw Failure(.badText, "\(name) is not a line of at most \(maxLength) characters") }
        return line
    }

    private static func flag(_ name: String, _ members: [String: JSONValue]) throws(Failure) -> Bool {
        guard let value = members[name] else { return false }
        guard let flag = value.bool else { throw Failure(.badRequest, "\(name) is neither true nor false") }
        return flag
    }

    private static func number(_ name: String, _ members: [String: JSONValue]) throws(Failure) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.integer else { throw Failure(.badRequest, "\(name) is not a whole number") }
        return number
    }
}
