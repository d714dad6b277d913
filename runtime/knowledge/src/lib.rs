//! Manifests, the fourteen gates, and plans.
