import Foundation
package import TreeModel

extension Timestamp {
    /// The present time, by the system's clock.
    package static func now() -> Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
