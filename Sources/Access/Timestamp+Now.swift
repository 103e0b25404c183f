import Foundation
package import TreeModel

extension Timestamp {
    /// Returns the current time of the system's clock.
    package static func now() -> Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
