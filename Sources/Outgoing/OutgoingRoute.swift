/// The receiver of documents that the operator has chosen: a program, or an address.
package enum OutgoingRoute: Sendable {
    case program(OperatorProgram)
    case webhook(SignedWebhook)
}
