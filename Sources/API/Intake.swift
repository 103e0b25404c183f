/// A way in by which uploads arrive, as their records name it. `Pipeline/IntakeHandler.swift` defines its duties.
package enum Intake: String, Codable, Sendable, CaseIterable {
    case inbox
    case socket
}
