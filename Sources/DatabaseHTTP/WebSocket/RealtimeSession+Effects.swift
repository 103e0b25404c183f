import Database
import NIOCore

extension RealtimeSession {
    /// Something to be done for the client, outside of the session.
    enum Effect {
        case send(Outgoing)
        case perform(Request)
        /// Nobody listens under this number any more.
        case stopListening(Int)
        /// The client does what no client does, or falls behind by too much.
        case close(CloseReason)
    }

    /// A message on its way to the client.
    enum Outgoing {
        case message([UInt8])
        /// One that is in frames already, as several clients get it.
        case frames(ByteBuffer)
        /// One that may be on disk.
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

        /// Whether it is about what the client has sent.
        var isRefusal: Bool { ![.normal, .goingAway, .slowReader].contains(self) }

        /// Why a message that cannot be read ends its session.
        init(unreadable message: MessageJoiner.Message) {
            self =
                switch message {
                case .tooLong, .denied: .tooLarge
                case .text(let text): String(validating: text, as: UTF8.self) == nil ? .notUTF8 : .protocolError
                }
        }
    }
}
