import API
import HTTPTypes
import Hummingbird
import NIOCore
import Store
import Transport
import Tree

extension Problem {
    /// The problem that the public learns of, for an error of any part.
    package init(_ error: any Error) {
        switch error {
        case let annotated as ErrorResponse:
            self = Problem(annotated.error).with(type: annotated.type, headers: annotated.headers)
        case let error as Failure:
            self.init(error)
        case let pause as IntakePause:
            self.init(
                Failure(
                    pause.code == .diskFull ? .diskFull : .intakePaused,
                    "no uploads are taken just now: \(pause.message) (\(pause.code.rawValue))",
                    hint: "send it again later; /readyz tells when"),
                status: pause.code == .diskFull ? .insufficientStorage : .serviceUnavailable)
        case let error as HTTPError:
            self.init(
                Failure(
                    error.status == .notFound ? .notFound : .badRequest, error.body ?? "there is nothing here",
                    hint: "the addresses begin with /v1/ and /media/"),
                status: error.status)
        case let error as NIOTooManyBytesError:
            self.init(
                Failure(
                    .tooLarge,
                    "the body has more than \(error.maxBytes.map(String.init) ?? "the permitted number of") bytes",
                    hint: "send a shorter text"))
        case let error as TreeError where error.code == .permissionDenied:
            self.init(.permissionDenied())
        case let error as TreeError where error.isDamage:
            self.init(
                Failure(
                    .damaged, "the service's database is damaged",
                    hint: "whoever runs the service has to look: /readyz and its log say what was found"),
                status: .serviceUnavailable)
        case let error as TreeError where error.code == .unreadableRules:
            self.init(
                Failure(
                    .rulesUnreadable, "the rules of the service's database cannot be read",
                    hint: "whoever runs the service has to store them again: tintype rules set FILE"),
                status: .serviceUnavailable)
        default:
            self.init(fault: Failure(error))
        }
    }
}
