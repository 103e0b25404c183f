/// The operator's receiver of documents: a program or an address.
package enum OutgoingRoute: Sendable {
    case program(OperatorProgram)
    case webhook(SignedWebhook)
}
