import Logging
import ServiceLifecycle
import Tree

/// The service that keeps revocations, keys and storage rules as they are in the tree, whichever process changes them.
struct AccountFollowing: Service, CustomStringConvertible {
    let description = "followed places"
    let followers: [TreeFollower]
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for follower in followers {
                    group.addTask(name: "\(follower.path)") {
                        await follower.run { error in
                            logger.error(
                                "a place cannot be followed; what is known of it stays in force",
                                metadata: ["place": "\(follower.path)", "fault": "\(error)"])
                        }
                    }
                }
            }
        }
    }
}
