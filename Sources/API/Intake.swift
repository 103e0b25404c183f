/// A way by which uploads come in, as their records name it. `Pipeline/IntakeHandler.swift` says what one has to do.
package enum Intake: String, Codable, Sendable, CaseIterable {
    case inbox
    case socket
}
