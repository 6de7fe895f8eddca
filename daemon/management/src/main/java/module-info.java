/** MXBeans and the local JMX transport shared by sluiced and sluicectl. */
module io.sluice.management {
  requires static org.jspecify;
  requires transitive java.management;
}
