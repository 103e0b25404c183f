// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "thumbnails",
    dependencies: [.package(name: "tintype", path: "../..")],
    targets: [
        .executableTarget(
            name: "thumbnails", dependencies: [.product(name: "Thumbnails", package: "tintype")], path: "Sources")
    ]
)
