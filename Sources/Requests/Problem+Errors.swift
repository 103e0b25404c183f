import API
import HTTPTypes
import Hummingbird
import NIOCore
package import Transport
import Tree

/// An error of a target above this one, with its public problem.
package protocol ProblemConvertible: Error {
    /// The problem that describes the error.
    var problem: Problem { get }
}

extension Problem {
    /// Creates the public problem of an error from any part of the server.
    package init(_ error: any Error) {
        switch error {
        case let annotated as ErrorResponse:
            self = Problem(annotated.error).with(type: annotated.type, headers: annotated.headers)
        case let error as Failure:
            self.init(error)
        case let error as any ProblemConvertible:
            self = error.problem
        case let error as HTTPError:
            self.init(
                Failure(
                    error.status == .notFound ? .notFound : .badRequest, error.body ?? "there is nothing here",
                    hint: "Use an address that begins with /v1/ or /media/."),
                status: error.status)
        case let error as NIOTooManyBytesError:
            self.init(
                Failure(
                    .tooLarge,
                    "the body has more than \(error.maxBytes.map(String.init) ?? "the permitted number of") bytes",
                    hint: "Send a shorter text."))
        case let error as TreeError where error.code == .permissionDenied:
            self.init(.permissionDenied())
        case let error as TreeError where error.isDamage:
            self.init(
                Failure(
                    .damaged, "the service's database is damaged",
                    hint: "Notify the operator of the service: /readyz and its log report the fault."),
                status: .serviceUnavailable)
        case let error as TreeError where error.code == .unreadableRules:
            self.init(
                Failure(
                    .rulesUnreadable, "the rules of the service's database cannot be read",
                    hint: "Let the operator of the service store them again with tintype rules set FILE."),
                status: .serviceUnavailable)
        default:
            self.init(fault: Failure(error))
        }
    }
}
