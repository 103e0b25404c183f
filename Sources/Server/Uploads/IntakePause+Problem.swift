import API
import HTTPTypes
import Requests
import Store
package import Transport

extension IntakePause: ProblemConvertible {
    /// The problem of a request that needs the intake while it is paused.
    package var problem: Problem {
        let isFull = code == .diskFull
        return Problem(
            Failure(
                isFull ? .diskFull : .intakePaused, "uploads are paused: \(message) (\(code.rawValue))",
                hint: "Send it again later. Look at /readyz to see when."),
            status: isFull ? .insufficientStorage : .serviceUnavailable)
    }
}
