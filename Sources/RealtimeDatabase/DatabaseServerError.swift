import API
import Files
import NIOCore

/// The reason why a ``DatabaseServer`` does not start.
public struct DatabaseServerError: Error, CustomStringConvertible {
    /// The description of the problem, without a full stop.
    public let message: String
    /// The advice on how to solve it, in whole sentences; empty for none.
    public let hint: String

    /// The message and the hint, as a text for a terminal.
    public var description: String { hint.isEmpty ? message : "\(message). \(hint)" }

    /// Returns an error as callers outside of this package can read it.
    static func explained(_ error: any Error) -> any Error {
        switch error {
        case let error as Failure: DatabaseServerError(message: error.message, hint: error.hint)
        case let error as FileError: DatabaseServerError(message: error.message, hint: error.hint)
        case let error as IOError: DatabaseServerError(message: "the address cannot be listened at: \(error)", hint: "")
        default: error
        }
    }
}
