import Database
import NIOCore

extension RealtimeSession {
    /// An action for the client, outside of the session.
    enum Effect {
        case send(Outgoing)
        case perform(Request)
        /// The listener of this number is removed.
        case stopListening(Int)
        /// Closes the session: the client violates the protocol, or falls too far behind.
        case close(CloseReason)
    }

    /// A message to the client.
    enum Outgoing {
        case message([UInt8])
        /// A message that is already encoded in frames, because several clients receive it.
        case frames(ByteBuffer)
        /// A message that may be on disk.
        case spooled(SpooledBody.Finished)
    }

    enum CloseReason: UInt16, Error {
        case normal = 1000
        case goingAway = 1001
        case protocolError = 1002
        case notText = 1003
        case notUTF8 = 1007
        case slowReader = 1008
        case tooLarge = 1009
        case tryAgainLater = 1013

        /// Whether the reason is a fault of the client's messages.
        var isRefusal: Bool { ![.normal, .goingAway, .slowReader].contains(self) }

        /// Creates the reason that an unreadable message ends its session.
        init(unreadable message: MessageJoiner.Message) {
            self =
                switch message {
                case .tooLong, .denied: .tooLarge
                case .text(let text): String(validating: text, as: UTF8.self) == nil ? .notUTF8 : .protocolError
                }
        }
    }
}
