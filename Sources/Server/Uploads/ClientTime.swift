import API
import Requests
import TreeModel

/// The field `client_timestamp`: the time at which a person did something, perhaps offline, by the clock of their device.
enum ClientTime {
    static let name = "client_timestamp"
    static let schema = Schema(["type": "integer", "format": "int64", "minimum": 0])
    static let details = "the time at which it was done by the clock of the device, in milliseconds since 1970"

    /// Parses the field of a query or a form; nil for none.
    ///
    /// - Throws: `Failure` with the code `bad_timestamp`.
    static func read(_ text: String?) throws(Failure) -> Timestamp? {
        guard let text else { return nil }
        guard let milliseconds = Int(digits: text) else { throw bad }
        return Timestamp(milliseconds: Int64(milliseconds))
    }

    /// Parses the member of a JSON object; nil for none.
    ///
    /// - Throws: `Failure` with the code `bad_timestamp`.
    static func read(_ value: JSONValue?) throws(Failure) -> Timestamp? {
        guard let value, value != .null else { return nil }
        guard let milliseconds = value.integer, milliseconds >= 0 else { throw bad }
        return Timestamp(milliseconds: Int64(milliseconds))
    }

    private static let bad = Failure(
        .badTimestamp, "client_timestamp is not a number of milliseconds since 1970",
        hint: "Send a whole number from 0, or leave it out.")
}
