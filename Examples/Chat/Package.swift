// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "chat",
    dependencies: [.package(name: "tintype", path: "../..")],
    targets: [
        .executableTarget(
            name: "chat", dependencies: [.product(name: "RealtimeDatabase", package: "tintype")], path: "Sources")
    ]
)
